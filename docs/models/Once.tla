-------------------------------- MODULE Once --------------------------------
(* How a flow is driven, and why no effect happens twice.

   A flow has nodes. Each node asks an executor for one effect. A driver claims
   the flow, sends the requests and records the answers. Drivers and executors
   may die, sleep for any time and wake at any step; messages may be late or
   lost. TLC walks through every order in which all this can happen.

   How to read it: a definition of the shape "Send(d, n) == /\ A /\ B" is one
   step. The lines without a prime say when the step may be taken; those with a
   prime (node') say what is true afterwards. Between two steps of a driver any
   number of steps of others may come: that is what a pause is.              *)

EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Drivers,        \* who may drive the flow
    First, Second,  \* the two nodes
    Chained,        \* TRUE: the second node waits for the first; FALSE: both are free
    Memory,         \* TRUE: the executor remembers request ids with their results over restarts
    MaxAttempts,    \* how many requests, each with its own id, a node may use up
    MaxTrouble,     \* how many things may go wrong in one run (see Trouble)
    Faults          \* mistakes planted on purpose; {} is the law itself

Nodes == {First, Second}
Attempts == 1..MaxAttempts
Nobody == "nobody"

VARIABLES
    flow,     \* registry: who holds the claim, its fence, and whether the lease is live
    node,     \* registry: for each node its state, attempt, the fence that sent it, and who said "failed"
    held,     \* each driver: the fence of its last claim, 0 if it has none
    job,      \* each driver and node: how far it has come with which attempt
    wire,     \* requests on their way to the executor, and answers that it owes
    memory,   \* executor: what has become of each request id
    highest,  \* executor: the highest fence announced to it
    effects,  \* the world: how often the effect of each node has happened
    settled,  \* whether a person ever said of this node that it failed
    trouble   \* how many things have gone wrong so far

vars == <<flow, node, held, job, wire, memory, highest, effects, settled, trouble>>

(* A request id is fixed by node and attempt: <<n, a>> stands for
   hash(flow, graph, node, attempt).                                          *)

Idle == [at |-> "idle", attempt |-> 0]
Job(at, attempt) == [at |-> at, attempt |-> attempt]
\* handing: Send is committed, and nothing has been handed to the door.  waiting: handed over.
Silent == {"silent", "missed again", "refused", "lost"}
\* What says nothing about the outcome.  missed: the first handing-over says that nothing crossed.
\* missed again: the same at a later ask.  lost: the executor knows the id, but died in the middle.

Final(n) == node[n].state \in {"done", "skipped"}
AllFinal == \A n \in Nodes : Final(n)
Free(n) == Chained /\ n = Second => Final(First)
Current(d) == held[d] # 0 /\ held[d] = flow.fence /\ flow.live
Greeted(d) == Memory => highest >= held[d]
Trouble == trouble < MaxTrouble /\ trouble' = trouble + 1
Busy(d, n) == job[d][n].at = "handing" \/ (job[d][n].at = "waiting" /\ job[d][n].attempt = node[n].attempt)
Planted(fault) == fault \in Faults

Request(d, n, a) == [to |-> "executor", driver |-> d, node |-> n, attempt |-> a, token |-> held[d]]
Owed(d, n, a, says) == [to |-> "driver", driver |-> d, node |-> n, attempt |-> a, says |-> says]
OnTheWay(d, n) == \E m \in wire : m.driver = d /\ m.node = n /\ m.attempt = job[d][n].attempt

Init ==
    /\ flow = [holder |-> Nobody, fence |-> 0, live |-> FALSE]
    /\ node = [n \in Nodes |-> [state |-> "ready", attempt |-> 1, fence |-> 0, word |-> "none"]]
    /\ held = [d \in Drivers |-> 0]
    /\ job = [d \in Drivers |-> [n \in Nodes |-> Idle]]
    /\ wire = {}
    /\ memory = [n \in Nodes |-> [a \in Attempts |-> "new"]]
    /\ highest = 0
    /\ effects = [n \in Nodes |-> 0]
    /\ settled = [n \in Nodes |-> FALSE]
    /\ trouble = 0

-----------------------------------------------------------------------------
(* What drivers do. *)

\* No live lease of another stands. The fence rises, and older jobs of this driver are dropped.
Claim(d) ==
    /\ ~AllFinal /\ ~Current(d)
    /\ flow.live => flow.holder = d
    /\ flow' = [holder |-> d, fence |-> flow.fence + 1, live |-> TRUE]
    /\ held' = [held EXCEPT ![d] = flow.fence + 1]
    /\ job' = [job EXCEPT ![d] = [n \in Nodes |-> Idle]]
    /\ UNCHANGED <<node, wire, memory, highest, effects, settled, trouble>>

\* Announces the fence to the executor; a driver does so before anything else.
Greet(d) ==
    /\ Memory /\ held[d] > highest
    /\ highest' = held[d]
    /\ UNCHANGED <<flow, node, held, job, wire, memory, effects, settled, trouble>>

\* The commit alone: the request is handed over later, by Hand.
Send(d, n) ==
    /\ Current(d) /\ Greeted(d) /\ Free(n)
    /\ node[n].state = "ready"
    /\ ~Busy(d, n)
    /\ node' = [node EXCEPT ![n].state = "sent", ![n].fence = held[d]]
    /\ job' = [job EXCEPT ![d][n] = Job("handing", node[n].attempt)]
    /\ UNCHANGED <<flow, held, wire, memory, highest, effects, settled, trouble>>

\* The request crosses. The driver may have slept since its commit, so nothing is checked here.
Hand(d, n) ==
    /\ job[d][n].at = "handing"
    /\ wire' = wire \cup {Request(d, n, job[d][n].attempt)}
    /\ job' = [job EXCEPT ![d][n].at = "waiting"]
    /\ UNCHANGED <<flow, node, held, memory, highest, effects, settled, trouble>>

\* The first handing-over finds nobody: it is certain that nothing crossed.
Miss(d, n) ==
    /\ Trouble
    /\ job[d][n].at = "handing"
    /\ job' = [job EXCEPT ![d][n].at = "missed"]
    /\ UNCHANGED <<flow, node, held, wire, memory, highest, effects, settled>>

\* The same attempt and id are ready again.
Unsend(d, n) ==
    /\ node[n].state \in {"sent", "unknown"} /\ node[n].attempt = job[d][n].attempt
    /\ \/ /\ job[d][n].at = "missed"
          /\ node[n].state = "sent" /\ Current(d) /\ node[n].fence = held[d]
          /\ node' = [node EXCEPT ![n].state = "ready"]
       \/ /\ Planted("silence_is_unsent")  \* "not sent" at a later ask replaces the silence before it
          /\ job[d][n].at = "missed again" /\ Current(d) /\ node[n].attempt < MaxAttempts
          /\ node' = [node EXCEPT ![n].state = "ready", ![n].attempt = @ + 1]
       \/ /\ Planted("stale_driver_records")  \* the fence is not looked at
          /\ job[d][n].at = "missed" /\ ~Current(d) /\ node[n].attempt < MaxAttempts
          /\ node' = [node EXCEPT ![n].state = "ready", ![n].attempt = @ + 1]
    /\ job' = [job EXCEPT ![d][n] = Idle]
    /\ UNCHANGED <<flow, held, wire, memory, highest, effects, settled, trouble>>

\* The executor's definite answer about this id. A driver that lost its fence may record it too.
Answer(d, n) ==
    /\ node[n].state \in {"sent", "unknown"} /\ node[n].attempt = job[d][n].attempt
    /\ \/ /\ job[d][n].at = "done"
          /\ node' = [node EXCEPT ![n].state = "done"]
       \/ /\ \/ job[d][n].at = "failed"
             \/ Planted("refusal_is_failure") /\ job[d][n].at = "refused"
             \/ Planted("interruption_is_failure") /\ job[d][n].at = "lost"
          /\ node' = [node EXCEPT ![n].state = "failed", ![n].word = "executor"]
    /\ job' = [job EXCEPT ![d][n] = Idle]
    /\ UNCHANGED <<flow, held, wire, memory, highest, effects, settled, trouble>>

\* Silence. An executor without memory is never asked again, so a node found sent is in doubt at once.
Doubt(d, n) ==
    /\ Current(d)
    /\ node[n].state = "sent"
    /\ \/ job[d][n].at \in Silent /\ job[d][n].attempt = node[n].attempt
       \/ ~Memory /\ ~Busy(d, n)
    /\ node' = [node EXCEPT ![n].state = "unknown"]
    /\ job' = [job EXCEPT ![d][n] = Idle]
    /\ UNCHANGED <<flow, held, wire, memory, highest, effects, settled, trouble>>

\* The same order with the same id is handed over again: it crosses, or it finds nobody. The node counts as sent
\* again, so nobody settles it meanwhile. After its own silence a driver first records the doubt, so that a
\* person can see it.
Ask(d, n) ==
    /\ Memory /\ Current(d) /\ Greeted(d)
    /\ \/ node[n].state = "unknown" /\ ~Busy(d, n)
       \/ /\ node[n].state = "sent" /\ ~Planted("sent_is_left_alone")
          /\ job[d][n].at # "handing" /\ job[d][n].attempt # node[n].attempt
    /\ \/ /\ wire' = wire \cup {Request(d, n, node[n].attempt)}
          /\ job' = [job EXCEPT ![d][n] = Job("waiting", node[n].attempt)]
          /\ UNCHANGED trouble
       \/ /\ Trouble
          /\ job' = [job EXCEPT ![d][n] = Job("missed again", node[n].attempt)]
          /\ UNCHANGED wire
    /\ node' = [node EXCEPT ![n].state = "sent", ![n].fence = 0]
    /\ UNCHANGED <<flow, held, memory, highest, effects, settled>>

\* After the executor's definite failure, or a person's word: a new attempt with a new id.
Retry(n) ==
    /\ node[n].state = "failed" /\ node[n].attempt < MaxAttempts
    /\ node' = [node EXCEPT ![n].state = "ready", ![n].word = "none", ![n].attempt = @ + 1]
    /\ UNCHANGED <<flow, held, job, wire, memory, highest, effects, settled, trouble>>

\* The driver gives its lease up.
Leave(d) ==
    /\ Trouble
    /\ Current(d)
    /\ flow' = [flow EXCEPT !.live = FALSE]
    /\ held' = [held EXCEPT ![d] = 0]
    /\ job' = [job EXCEPT ![d] = [n \in Nodes |-> Idle]]
    /\ UNCHANGED <<node, wire, memory, highest, effects, settled>>

-----------------------------------------------------------------------------
(* What a person says. They look first, and say what they see; it may change after they looked. *)

Settle(n) ==
    /\ node[n].state = "unknown" \/ (node[n].state = "sent" /\ ~flow.live)
    /\ IF effects[n] > 0
       THEN /\ node' = [node EXCEPT ![n].state = "done"]
            /\ UNCHANGED settled
       ELSE /\ node' = [node EXCEPT ![n].state = "failed", ![n].word = "person"]
            /\ settled' = [settled EXCEPT ![n] = TRUE]
    /\ UNCHANGED <<flow, held, job, wire, memory, highest, effects, trouble>>

Skip(n) ==
    /\ node[n].state \in {"ready", "failed", "unknown"}
    /\ node' = [node EXCEPT ![n].state = "skipped", ![n].word = "none"]
    /\ UNCHANGED <<flow, held, job, wire, memory, highest, effects, settled, trouble>>

-----------------------------------------------------------------------------
(* What the world does. *)

\* A request arrives. With memory: a known id is not begun again, and a new one with a lower token is refused.
Deliver == \E m \in wire :
    /\ m.to = "executor"
    /\ LET new == ~Memory \/ memory[m.node][m.attempt] = "new"
           stale == Memory /\ new /\ m.token < highest
           begins == new /\ ~stale
       IN /\ wire' = (wire \ {m}) \cup
                     {Owed(m.driver, m.node, m.attempt, IF stale THEN "refused" ELSE "outcome")}
          /\ memory' = IF begins THEN [memory EXCEPT ![m.node][m.attempt] = "begun"] ELSE memory
    /\ UNCHANGED <<flow, node, held, job, highest, effects, settled, trouble>>

\* The effect happens, and its result is written down. (Restart comes between the two.)
Act(n, a) ==
    /\ memory[n][a] = "begun"
    /\ memory' = [memory EXCEPT ![n][a] = "done"]
    /\ effects' = [effects EXCEPT ![n] = @ + 1]
    /\ UNCHANGED <<flow, node, held, job, wire, highest, settled, trouble>>

\* It definitely does not happen, and this is written down.
Fail(n, a) ==
    /\ memory[n][a] = "begun"
    /\ memory' = [memory EXCEPT ![n][a] = "failed"]
    /\ UNCHANGED <<flow, node, held, job, wire, highest, effects, settled, trouble>>

\* An answer reaches the driver, in time or late. One that nobody waits for any more is dropped.
Reply == \E m \in wire :
    /\ m.to = "driver"
    /\ LET d == m.driver
           n == m.node
           says == IF m.says = "refused" THEN "refused" ELSE memory[n][m.attempt]
           awaited == job[d][n].attempt = m.attempt /\ job[d][n].at \in Silent \cup {"waiting"}
       IN /\ says \in {"refused", "done", "failed", "lost"}
          /\ job' = IF awaited THEN [job EXCEPT ![d][n].at = says] ELSE job
    /\ wire' = wire \ {m}
    /\ UNCHANGED <<flow, node, held, memory, highest, effects, settled, trouble>>

Lose == \E m \in wire :
    /\ Trouble
    /\ wire' = wire \ {m}
    /\ UNCHANGED <<flow, node, held, job, memory, highest, effects, settled>>

\* The deadline passes, or the connection breaks: because nothing is on its way, or too early.
Deadline(d, n) ==
    /\ job[d][n].at = "waiting"
    /\ IF OnTheWay(d, n) THEN Trouble ELSE UNCHANGED trouble
    /\ job' = [job EXCEPT ![d][n].at = "silent"]
    /\ UNCHANGED <<flow, node, held, wire, memory, highest, effects, settled>>

\* The lease is over by the database's clock; its driver may be asleep and not know.
Expire ==
    /\ Trouble
    /\ ~AllFinal /\ flow.live
    /\ flow' = [flow EXCEPT !.live = FALSE]
    /\ UNCHANGED <<node, held, job, wire, memory, highest, effects, settled>>

\* A driver dies and forgets everything; its lease stays.
Crash(d) ==
    /\ Trouble
    /\ held[d] # 0
    /\ held' = [held EXCEPT ![d] = 0]
    /\ job' = [job EXCEPT ![d] = [n \in Nodes |-> Idle]]
    /\ UNCHANGED <<flow, node, wire, memory, highest, effects, settled>>

\* The executor dies and starts again. Whatever it owed is not answered. Of what it had begun, some had
\* happened and only the result was not written down: `late` is that part.
Restart ==
    /\ Trouble
    /\ \E late \in SUBSET {id \in Nodes \X Attempts : memory[id[1]][id[2]] = "begun"} :
        effects' = [n \in Nodes |-> effects[n] + Cardinality({id \in late : id[1] = n})]
    /\ wire' = {m \in wire : m.to = "executor"}
    /\ memory' = [n \in Nodes |-> [a \in Attempts |->
          IF ~Memory THEN "new" ELSE IF memory[n][a] = "begun" THEN "lost" ELSE memory[n][a]]]
    /\ UNCHANGED <<flow, node, held, job, highest, settled>>

\* The flow is over; without this TLC would call its end a deadlock.
Rest == AllFinal /\ UNCHANGED vars

-----------------------------------------------------------------------------
Next ==
    \/ \E d \in Drivers :
        \/ Claim(d)
        \/ Greet(d)
        \/ Leave(d)
        \/ Crash(d)
    \/ \E d \in Drivers, n \in Nodes :
        \/ Send(d, n)
        \/ Hand(d, n)
        \/ Miss(d, n)
        \/ Unsend(d, n)
        \/ Answer(d, n)
        \/ Doubt(d, n)
        \/ Ask(d, n)
        \/ Deadline(d, n)
    \/ \E n \in Nodes :
        \/ Retry(n)
        \/ Settle(n)
        \/ Skip(n)
    \/ \E n \in Nodes, a \in Attempts :
        \/ Act(n, a)
        \/ Fail(n, a)
    \/ Deliver
    \/ Reply
    \/ Lose
    \/ Expire
    \/ Restart
    \/ Rest

Spec == Init /\ [][Next]_vars

(* For NoneStuck: nobody who can act waits for ever, and a person who is asked
   about a node again and again lets it go at last.                           *)
Patience ==
    /\ \A d \in Drivers :
        /\ WF_vars(Claim(d))
        /\ WF_vars(Greet(d))
        /\ \A n \in Nodes :
            /\ WF_vars(Send(d, n))
            /\ WF_vars(Hand(d, n))
            /\ WF_vars(Unsend(d, n))
            /\ WF_vars(Answer(d, n))
            /\ WF_vars(Doubt(d, n))
            /\ WF_vars(Ask(d, n))
            /\ WF_vars(Deadline(d, n) /\ ~OnTheWay(d, n))
    /\ WF_vars(Deliver)
    /\ WF_vars(Reply)
    /\ \A n \in Nodes :
        /\ \A a \in Attempts : WF_vars(Act(n, a) \/ Fail(n, a))
        /\ SF_vars(node[n].state \in {"failed", "unknown"} /\ Skip(n))

PatientSpec == Spec /\ Patience

-----------------------------------------------------------------------------
(* The promises. *)

\* No effect twice, unless a person has said that the first had failed: it may have been under way when they looked.
Once == \A n \in Nodes : effects[n] <= 1 \/ settled[n]

\* What is recorded as done happened, exactly once (with the same reservation).
NoneMissing == \A n \in Nodes : node[n].state = "done" =>
                   effects[n] = 1 \/ (effects[n] > 1 /\ settled[n])

\* The second effect never comes before the first node is over.
InOrder == Chained /\ effects[Second] > 0 => Final(First)

\* While a request is out, its id does not change; only a failure that was said makes a new one.
IdStays == [][\A n \in Nodes : node'[n].attempt # node[n].attempt => node[n].state = "failed"]_vars

\* With patience, every flow comes to its end, whatever went wrong on the way.
NoneStuck == <>AllFinal

-----------------------------------------------------------------------------
(* For speed only. TLC takes two states for one where View is equal: it leaves
   out what nothing can depend on any more, and counts fences from the newest. *)

Ago(fence) == flow.fence - fence
Never == 99
Open(n, a) == ~Final(n) /\ a = node[n].attempt
ViewOfNode(n) ==
    IF Final(n) THEN [node[n] EXCEPT !.attempt = 0, !.fence = FALSE]
    ELSE [node[n] EXCEPT !.fence = node[n].state = "sent" /\ @ = flow.fence]
ViewOfJob(d, n) ==
    IF Faults = {} /\ job[d][n].at \in Silent /\ Open(n, job[d][n].attempt) THEN Job("silent", job[d][n].attempt)
    ELSE IF job[d][n].at = "handing" \/ Open(n, job[d][n].attempt) THEN job[d][n]
    ELSE Idle
ViewOfHeld(d) ==
    IF held[d] = flow.fence \/ held[d] > highest \/ \E n \in Nodes : job[d][n].at = "handing"
    THEN Ago(held[d]) ELSE Never
ViewOfMemory(n, a) ==
    IF ~Open(n, a) /\ memory[n][a] \in {"done", "failed", "lost"} THEN "over" ELSE memory[n][a]
New(m) == ~Memory \/ memory[m.node][m.attempt] = "new"
ViewOfMessage(m) ==
    IF m.to = "driver" THEN m
    ELSE [m EXCEPT !.token = IF @ < highest \/ ~Memory \/ ~New(m) THEN Never ELSE Ago(@)]
View ==
    <<IF AllFinal THEN <<Nobody, FALSE>> ELSE <<flow.holder, flow.live>>,
      [n \in Nodes |-> ViewOfNode(n)],
      [d \in Drivers |-> ViewOfHeld(d)],
      [d \in Drivers |-> [n \in Nodes |-> ViewOfJob(d, n)]],
      {ViewOfMessage(m) : m \in {m \in wire : Open(m.node, m.attempt) \/ (m.to = "executor" /\ New(m))}},
      [n \in Nodes |-> [a \in Attempts |-> ViewOfMemory(n, a)]],
      Ago(highest), effects, settled[First], settled[Second],
      IF AllFinal THEN 0 ELSE trouble>>

Same == Permutations(Drivers)
SameNodes == Permutations(Drivers) \cup Permutations(Nodes)
=============================================================================
