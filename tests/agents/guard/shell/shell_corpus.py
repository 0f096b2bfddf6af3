"""Command lines that write, each run in a folder with a.py, b.py, data.csv and sub/c.py; and some that do not."""

from __future__ import annotations

NAMED = r"""
echo hi > new.py
echo hi >> a.py
echo hi >| a.py
echo hi &> all.log
ls nothing 2> err.log
printf 'x\n' > 'with space.py'
printf x > "quoted name.py"
echo x > back\ slash.py
cat a.py > copy.py
cat <<'EOF' > here.py
line
EOF
cat > here2.py <<EOF
line
EOF
cat <<< text > string.py
: > a.py
> empty.py
echo hi | tee out.txt
echo hi | tee -a a.py b.py > /dev/null
sed -i 's/a/b/' a.py
sed -i.bak 's/a/b/' a.py
sed --in-place -e 's/a/b/' a.py b.py
cp a.py c.py
cp a.py b.py sub/
cp -t sub a.py
mv a.py moved.py
mv a.py b.py sub
rm a.py
rm -f a.py nothing.py
rm -r sub
unlink a.py
touch fresh.py
truncate -s 0 a.py
dd if=a.py of=dd.py status=none
ln -s a.py link.py
ln a.py hard.py
install -m 644 a.py inst.py
chmod +x a.py
git restore a.py && echo x > restored.py
git rm -q a.py
git mv a.py renamed.py
bash -c 'echo hi > inner.py'
sh -c "echo hi > inner2.py; rm b.py"
bash -c "bash -c 'echo x > deep.py'"
eval 'echo hi > evaled.py'
env A=1 tee enved.py < a.py
nohup touch nohupped.py
timeout 5 touch timed.py
command touch commanded.py
(cd sub && echo x > in_sub.py)
cd sub; echo x > in_sub2.py
cd sub && cd .. && echo x > back.py
{ echo a; echo b; } > group.py
(echo a) > subshell.py
if true; then echo x > cond.py; fi
for i in 1 2; do echo x >> loop.py; done
while read -r line; do echo "$line" >> lines.py; done < a.py
case x in x) echo x > cased.py;; esac
f() { echo x > function.py; }; f
echo $(echo x > substituted.py)
true && echo x > both.py || echo x > either.py
echo x > one.py; echo y > two.py
echo hi | sort -o sorted.txt
uniq a.py uniq.py
grep -c x a.py > counted.txt; true
tar cf made.tar a.py
echo x 1> first.py 2>&1
exec > execed.py; echo hi
diff a.py b.py > changes.diff; true
bash <<'EOF'
echo x > from_heredoc.py
EOF
git diff --no-index --output=diffed.py a.py b.py; true
exec 3> opened.py; echo x >&3
cat a.py | tee >(cat > processed.py) > /dev/null; sleep 0.1
declare value=$(touch declared.py)
\touch escaped.py
F=var.py; echo x > $F
for f in *.py; do echo x >> "$f"; done
rm *.py
perl -pi -e 's/a/b/' a.py
X='echo x > evaled2.py'; eval "$X"
D=sub; cd $D && echo x > lost.py
gzip a.py
sed -n 'w written.py' a.py
trap 'touch trapped.py' EXIT
git checkout -q . && echo x > checked.py
"""
UNSURE = r"""
echo x > "$(echo sub.py)"
touch {one,two}.py
python3 -c "open('py.py', 'w').write('x')"
python3 - <<'EOF'
open('py2.py', 'w').write('x')
EOF
perl -e 'open(F, ">perl.py"); print F "x"'
awk '{print > "awked.py"}' a.py
find . -name 'a.py' -delete
find . -name 'a.py' -exec rm {} +
ls a.py | xargs rm
echo a.py | xargs sed -i 's/a/b/'
printf 'all:\n\techo x > made.py\n' > Makefile; make -s
echo 'echo x > scripted.py' > s.sh; sh s.sh
echo 'echo x > sourced.py' > s.sh; . ./s.sh
tar cf t.tar a.py && rm a.py && tar xf t.tar
printf -- '--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a\n+z\n' | patch -s -p0
$(echo touch) commanded2.py
split -l 1 a.py part_
"""
HARMLESS = r"""
echo "a > b"
grep 'x > y' a.py
ls 2>/dev/null
ls > /dev/null 2>&1
cat a.py | head -1 | wc -l
git status --short && git diff --stat && git log --oneline -1
find . -name '*.py'
awk '{print $1}' a.py
sed -n '1p' a.py
echo 'rm -rf /'  # rm a.py
test -f a.py && echo yes
cat <<'EOF'
echo x > not_written.py
EOF
ls | xargs echo
jq . <<< '{}' >/dev/null 2>&1; true
sort data.csv | uniq
tar tf nothing.tar; true
"""


def lines_of(text: str) -> list[str]:
    """The command lines of a list; one with a heredoc goes on until its end."""
    found: list[str] = []
    for line in text.strip("\n").split("\n"):
        if found and "<<" in found[-1] and "<<<" not in found[-1] and found[-1].split("\n")[-1] != "EOF":
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found
