"""Wrong uses of the command: no traceback, a message, and a remedy in the words of the shell."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from mnemic.cli.root import cli
from tests.cli.conftest import Shell, tell

NOBODY = "01a1e748-0000-7000-8000-000000000000"
# One a line; a file, a memory and a database are there, nothing else is.
WRONG = f"""
recal tea
memorys
--nope
--version=3
record hi
record -s
record -s a
record -s '' hi
record -s a hi --role wizard
record -s a hi --at someday
record -s a hi --index -1
record -s a hi --index x
record -s a hi --trust friend
record -s a hi --tool-call {{
record -s a hi --tool-call {{}}
record -s a hi --tool-call []
record -s a hi --tool-result 7
record -s a hi --metadata nothing
record -s a hi --metadata =x
record -s a hi there
import
import nowhere.json
import /dev/null --format nope
import memory.db
import . --format chatgpt
import broken.json
import broken.json --format mem0
import note.txt
import - --owner
import broken.json --trust friend
watch nowhere
watch --every x
watch --every 0
end
end nobody
add
add tea --kind wizard
add tea --importance 2
add tea --importance much
add tea --confidence -1
add tea --valid-from someday
add tea --expires-at 31-31-31
add tea --trust friend
add tea --duration someday
add tea --source {NOBODY}
add tea --source 01
add tea --supersedes {NOBODY}
add tea --supersedes nobody
add tea --metadata nothing
attach
attach nowhere.png
attach note.txt --direction sideways
attach note.txt --description
recall
recall tea -n 0
recall tea -n many
recall tea -n -5
recall tea -n 100000000
recall tea --of dreams
recall tea --kind wizard
recall tea --since someday
recall tea --as-of never
recall tea --min-importance 3
recall tea --metadata nothing
recall tea -k 3
search
search tea --limit 0
search tea --until x
context
context tea --budget 0
context tea --budget x
sessions --limit 0
sessions --offset -1
turns --role wizard
turns --state done
turns --since 99
turns --metadata x
turns --limit 0
episodes --outcome great
episodes --limit x
attachments --direction up
events --type a --daily
events --day today
events --limit 0
memories --kind wizard
memories --status gone
memories --order biggest
memories --limit 0
memories --offset x
memories --since someday
memories --as-of 2026-13-01
memories --metadata =1
memories --min-importance 7
show
show nobody
show {NOBODY}
show 01
show 0199999999
show a b
history
history nobody
history 01a1e7480
pending confirm
pending confirm nobody
pending ignore {NOBODY}
pending snooze 01
pending --limit 0
pending approve x
edit
edit nobody
edit nobody --text x
edit {NOBODY} --text x
edit {NOBODY} --importance 9
archive
archive nobody
restore
restore {NOBODY}
restore note.txt
delete
delete nobody
delete nobody --yes
delete {NOBODY} --yes
forget
forget --yes
forget --query tea --id nobody --yes
forget --session '' --yes
forget --source nobody --yes
forget --source trust:friend --yes
forget --since someday --yes
forget --query Lisbon
rollback
rollback --source nobody
rollback --source trust:friend
rollback --source session:
reveal
reveal nobody
reveal {NOBODY} --yes
chat --nope
hook --nope
serve --port 99999
serve --threads 0
token
token add --scope god
token revoke nobody
export x.pdf
export x.docx
export folder/ --format html
export x.html --format pdf
export note.txt --format html
export x.html --language fr
export x.xlsx --force
stats --days 0
stats --days x
usage --since someday
doctor --forgotten nowhere
doctor --forgotten note.txt
backup
backup note.txt
backup /dev/null/x.db
restore-backup
restore-backup nowhere.db
restore-backup note.txt
sync --keep nobody
upkeep
upkeep monthly
upkeep undo
upkeep undo nobody
upkeep approve nobody
jobs --state done
jobs show
jobs show nobody
jobs redrive nobody
jobs discard
jobs discard nobody
jobs --limit 0
worker --twice
copy
copy a.db
copy nowhere.db b.db
config --explain --nope
config nope.nope
stats --set nope
stats --set nope.nope=1
stats --set jobs.max_attempts=x
stats --set jobs.max_attempt=3
stats --set memory.language=fr
stats --preset nope
stats --db mysql://x
stats --db nowhere.db
stats --db note.txt
stats --space
merge
merge nowhere.db
merge note.txt
merge memory.db
merge ftp://elsewhere/x.db
audit --limit 0
audit --nope
encrypt
encrypt nowhere.db
encrypt note.txt
encrypt --key-file nowhere/else/key
sync --folder note.txt
sync nowhere/else --add nobody
onboard --nope
scratchpad a b
scratchpad --task
mcp --nope
mcp --transport carrier-pigeon
serve --host 0.0.0.0
serve --workers 0
serve --port eight
recall tea --project
recall tea --unknown-at 3
recall tea --space ''
record -s a hi --session b --role
record -s a hi --at 2026-02-30
add 茶 --kind 偏好
add tea --tag
memories --trust nobody
memories --project a b
turns --session
turns --offset -3
edit {NOBODY}
archive {NOBODY} {NOBODY}
forget --space nobody --yes
forget --before 31-02-2026 --yes
worker --once --threads -1
upkeep daily --step nope
copy memory.db memory.db
export nowhere/else/x.md --language
config jobs.max_attempt
doctor --fix-everything
usage --by moon
stats --set =3
stats --set memory.language
search tea --format csv
memories --db postgresql://127.0.0.1:1/x
memories --db http://127.0.0.1:1
""".strip().splitlines()
CALL = re.compile(r"\b\w+\(\)|\bmind\.|mnemic\.open|=…")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A database with two conversations and a memory, for all; a wrong use changes nothing."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "note.txt").write_text("dear diary", encoding="utf-8")
    (folder / "broken.json").write_text('{"memories": [{"text": ', encoding="utf-8")
    shell = Shell(folder / "memory.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MNEMIC_DB", str(shell.db))
        patch.chdir(folder)
        tell(shell)
    return shell


@pytest.mark.parametrize("line", WRONG, ids=lambda line: line.replace(NOBODY, "NOBODY"))
def test_it_is_refused_with_a_remedy(
    place: Shell, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MNEMIC_DB", str(place.db))
    monkeypatch.setenv("HOME", str(place.db.parent))
    monkeypatch.chdir(place.db.parent)
    args = ["" if arg == "''" else arg for arg in line.split()]
    result = CliRunner().invoke(cli, args, input="")
    told = f"{result.exit_code}\n{result.output}\n{result.exception!r}"
    assert result.exit_code in (1, 2), told
    assert isinstance(result.exception, SystemExit), told
    assert "Traceback" not in result.output, told
    message, *remedy = [one for one in result.stderr.splitlines() if one.strip()]
    assert message, told
    assert remedy or re.search(r"\b(mnemic|Use|Give|Did you mean|Name)\b", message), told
    assert not CALL.search(result.stderr), told


def test_as_json_every_error_has_its_remedy(place: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_DB", str(place.db))
    monkeypatch.chdir(place.db.parent)
    for line in ("recal tea", "show nobody", "add tea --importance 2", "stats --preset nope"):
        result = CliRunner().invoke(cli, [*line.split(), "--json"])
        error = json.loads(result.stderr)["error"]
        assert error["message"], line
        assert error["remedy"], line
