"""Everything is forbidden: the arbiter never picks the lesser evil, and names the constraints in the way."""

from volition import CompositeIntention, Constraint, NotPossible, arbitrate
from volition.arbitration import Violates

rules = CompositeIntention(
    Constraint("budget", Violates({"hire": "no money is left", "buy": "no money is left"})),
    Constraint("law", Violates({"hire": "hiring is frozen", "wait": "the deadline is a legal one"})),
)

decision = arbitrate(["hire", "buy", "wait"], rules)
print(decision.kind, decision.reason.rule, decision.reason.relaxations)
print(decision.why().text)

# If holding is itself forbidden, the answer is "fail".
print(arbitrate(["hire", "buy", "wait"], rules, stay="wait").kind)
print(arbitrate([], rules).reason.rule)

try:
    decision.require()
except NotPossible as error:
    print(error)
