"""The command line speaks Chinese: the same keys, numbers and releases, in lines that a terminal shows."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.wording.terminal import extent, wrapped
from rlmetrics.wording.voice import phrase, speak, spoken

GRPO = "trl[GRPOTrainer]==1.16.0"
QUESTIONS = [
    ["resolve", "kl", "--at", GRPO],
    ["resolve", "reward_std", "--at", GRPO],
    ["resolve", "actor/pg_loss", "--at", "verl==0.9.1"],
    ["resolve", "policy/approxkl_avg", "--at", "trl[PPOTrainer]==0.12.2"],
    ["resolve", "kl"],
    ["show", "kl/reference/k3"],
    ["map", "--from", GRPO, "--to", "verl==0.9.1"],
    ["map", "kl", "--from", GRPO, "--to", "verl==0.9.1"],
    ["diff", "--from", "trl[GRPOTrainer]==0.18.2", "--to", GRPO],
    ["diff", "kl", "--from", "trl[GRPOTrainer]==0.18.2", "--to", GRPO],
]
HAN = re.compile(r"[\u4e00-\u9fff]")
RELEASE = re.compile(r"\b\d+\.\d+\.\d+\b")
KEY = re.compile(r"(?<![\w/.])[a-z_]+(?:/[a-z0-9_]+)+(?![\w/.])")
SENTENCE = re.compile(r"(?:\b[a-z]+ ){5,}[a-z]+\b")
"""Six English words in a row, none of them a name."""


def asked(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Return what a command prints."""
    main([*argv])
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Speak English after each test."""
    yield
    speak("en")


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_chinese_names_the_same_releases_and_keys(
    question: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole answer names the releases and keys that the English one names, and says the rest in Chinese."""
    monkeypatch.setenv("COLUMNS", "160")
    english = asked(capsys, *question, "--full")
    chinese = asked(capsys, *question, "--full", "--lang", "zh")
    assert len(HAN.findall(chinese)) > 50
    assert not HAN.search(english)
    for names in (RELEASE, KEY):
        assert {*names.findall(" ".join(chinese.split()))} >= {*names.findall(" ".join(english.split()))}


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_chinese_fits_the_terminal(question: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A line with Chinese takes at most 80 columns, two for each Chinese character."""
    lines = asked(capsys, *question, "--lang", "zh").splitlines()
    assert [line for line in lines if HAN.search(line) and extent(line) > 80] == []


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_no_english_sentence_is_left(question: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What fits a screen is Chinese from end to end: nowhere do six English words follow each other."""
    assert SENTENCE.findall(" ".join(asked(capsys, *question, "--lang", "zh").split())) == []


def test_the_option_may_stand_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    """``--lang`` is taken before and after the command, in both ways of writing."""
    question = ["resolve", "kl", "--at", GRPO]
    chinese = asked(capsys, *question, "--lang", "zh")
    assert asked(capsys, "--lang", "zh", *question) == chinese
    assert asked(capsys, "--lang=zh", *question) == chinese


def test_the_environment_chooses_and_the_option_overrides(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``LANG`` chooses, ``LC_ALL`` before it, ``--lang`` before both; without any it is English."""
    question = ["resolve", "kl", "--at", GRPO]
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    english = asked(capsys, *question)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert HAN.search(asked(capsys, *question))
    assert asked(capsys, *question, "--lang", "en") == english
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert asked(capsys, *question) == english


def test_documents_stay_english(capsys: pytest.CaptureFixture[str]) -> None:
    """``--json`` is the same in every language."""
    question = ["resolve", "kl", "--at", GRPO, "--json"]
    assert asked(capsys, *question, "--lang", "zh") == asked(capsys, *question)


@pytest.mark.parametrize("command", ["resolve", "translate", "check"])
def test_pages_of_the_manual_stay_english(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are the same sign by sign, whatever language is asked for."""
    assert asked(capsys, command, "--help", "--lang", "zh") == asked(capsys, command, "--help")


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_marks_are_those_of_the_language(question: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Between Chinese characters stand no blanks and no full stops of English."""
    answer = asked(capsys, *question, "--lang", "zh")
    assert re.findall(r"[\u4e00-\u9fff]\. ?[\u4e00-\u9fff]", answer) == []
    assert re.findall(r"个 [\u4e00-\u9fff]", answer) == []


def test_what_is_not_translated_keeps_its_marks() -> None:
    """A clause without a translation is joined as English is."""
    speak("zh")
    assert spoken("nobody has translated this; nor is there a word for that") == (
        "nobody has translated this; nor is there a word for that"
    )


def test_an_unknown_language_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A language that no answers are given in ends in one line and nothing printed."""
    assert main(["resolve", "kl", "--lang", "xx"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "answers are given in en, zh, not in xx" in captured.err


def test_keys_are_never_translated() -> None:
    """A list of keys stays as it is, although words of it have a translation."""
    speak("zh")
    assert spoken("reward, entropy, completions") == "reward, entropy, completions"
    assert spoken("loss") == "loss"
    assert phrase("and {count} more", count=3) == "及另外 3 项"


def test_chinese_breaks_between_characters_but_not_before_a_comma() -> None:
    """Chinese has no blanks to break at; punctuation stays with the character before it."""
    speak("zh")
    lines = wrapped("一二三四五，六七八九十", columns=10)
    assert lines == ["一二三四", "五，六七八", "九十"]
    assert "".join(lines) == "一二三四五，六七八九十"


def test_a_report_on_a_run_is_chinese(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``check`` names the same steps and keys, says the rest in Chinese, and keeps to 80 columns."""
    monkeypatch.chdir(tmp_path)
    log = Path("run.jsonl")
    rows = [{"step": step, "reward": 0.0, "reward_std": 0.0, "kl": 0.01 * step, "loss": 0.1} for step in range(1, 40)]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    question = ["check", str(log), "--at", GRPO, "--fail-on", "never"]
    english, chinese = asked(capsys, *question), asked(capsys, *question, "--lang", "zh")
    assert not HAN.search(english)
    assert len(HAN.findall(chinese)) > 50
    assert SENTENCE.findall(" ".join(chinese.split())) == []
    assert [line for line in chinese.splitlines() if extent(line) > 80] == []
    for name in ("reward_std", "GRPOTrainer"):
        assert (name in chinese) == (name in english)


def test_the_page_of_a_report_is_chinese(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its headings, its table heads and what rules say, of one run and of several; keys stay as they are."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        rows = [{"step": step, "reward": 0.0, "reward_std": 0.0, "kl": 0.1, "loss": 0.1} for step in range(1, 40)]
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    for logs in (["a.jsonl"], ["a.jsonl", "b.jsonl"]):
        asked(capsys, "check", *logs, "--at", GRPO, "--fail-on", "never", "--html", "p.html", "--lang", "zh")
        page = Path("p.html").read_text(encoding="utf-8")
        read = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL)
        text = " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<span class=.small.>.*?</span>", "", read)).split())
        assert '<html lang="zh">' in page
        assert "reward_std" in text
        assert SENTENCE.findall(text) == []
        for english in ("What it was judged by", "How it went", "verdict", "question"):
            assert english not in text


def test_the_account_of_a_translation_is_chinese(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one screen and in full, with everything that differs; so is all that differs on a map."""
    monkeypatch.chdir(tmp_path)
    row = {"step": 1, "reward": 0.5, "reward_std": 0.1, "kl": 0.1, "completion_length": 90.0, "mine": 1.0}
    Path("run.jsonl").write_text(f"{json.dumps(row)}\n", encoding="utf-8")
    sources = ["--from", "trl[GRPOTrainer]==0.15.2", "--to", GRPO]
    for more in ([], ["--full"]):
        text = asked(capsys, "translate", "run.jsonl", *sources, "--dry-run", *more, "--lang", "zh")
        assert len(HAN.findall(text)) > 20
        assert SENTENCE.findall(" ".join(text.split())) == []
        for english in ("kept:", "unknown to the source", "would be written", "what differs"):
            assert english not in text
    text = " ".join(asked(capsys, "map", *sources, "--full", "--lang", "zh").split())
    assert re.findall(r"(?:only|source|target): [a-z]", text) == []


def test_words_that_tell_metrics_apart_are_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    """Also one word alone, such as score, which elsewhere may be a key."""
    main(["--lang", "zh", "map", "--from", "trl[GRPOTrainer]==1.16.0", "--to", "verl==0.9.1"])
    answer = capsys.readouterr().out

    assert "而不是“得分”" in answer
    assert "not score" not in answer


def test_what_a_search_finds_and_code_names_is_told_in_chinese(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also the notes on standard error that say what runs were taken for."""
    code = tmp_path / "plot.py"
    code.write_text('rows["completion_length"], rows["reward_std"], f"rewards/{name}/std"\n')
    for question in (
        ["show", "clip_fraction"],
        ["translate", str(code), "--from", "trl[grpo]==0.15.2", "--to", "trl[grpo]==1.16.0"],
        ["plot", "tests/fixtures/runs/trl-1.16.0-grpo.jsonl", "reward"],
    ):
        main(["--lang", "zh", *question])
        said = "".join(capsys.readouterr())
        for english in ("Nothing is called", " names ", "left as it is", "is put together", "taken for", "settles it"):
            assert english not in said


RUNS = Path(__file__).parents[1] / "fixtures" / "runs"
ENGLISH = re.compile(r"(?<![\w/.-])(?!(?:TRL|rlmetrics)\b)[a-z]{2,}(?: [a-z]{2,}){3,}(?![\w/])")
"""Four English words in a row."""


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["releases"],
        ["releases", "trl"],
        ["releases", "unsloth"],
        ["keys", str(RUNS / "trl-0.18.2-dpo.jsonl")],
        ["compare", str(RUNS / "trl-0.18.2-dpo.jsonl"), str(RUNS / "trl-1.16.0-grpo.jsonl")],
        ["compare", str(RUNS / "trl-0.18.2-grpo.jsonl"), str(RUNS / "trl-1.16.0-grpo.jsonl")],
        ["check", str(RUNS / "trl-0.18.2-dpo.jsonl")],
        ["check", "no/such.jsonl"],
        ["compare", str(RUNS / "trl-0.18.2-dpo.jsonl")],
        ["plot", str(RUNS / "trl-0.18.2-dpo.jsonl"), "nokey"],
    ],
    ids=lambda words: " ".join(words[:1]),
)
def test_nothing_is_left_in_english(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Of runs, releases, the overview and what is wrong with a question: notes and errors are Chinese, too."""
    main([*words, "--lang", "zh"])
    told = capsys.readouterr()

    assert HAN.search(told.out + told.err)
    for stream in (told.out, told.err):
        said = (line for line in stream.splitlines() if not line.lstrip().startswith("rlmetrics "))  # no examples
        text = re.sub(r"`[^`]*`|'[^']*'", "", " ".join(" ".join(said).split()))
        assert not ENGLISH.findall(text)


def test_an_undescribed_log_is_told_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is said of a log that nothing described wrote, and of rows without a step."""
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps({"mine/a": at, "mine/b": 2 * at}) + "\n" for at in range(9)))

    main(["check", str(path), "--lang", "zh"])

    told = re.sub(r"`[^`]*`|'[^']*'", "", " ".join(capsys.readouterr().out.split()))
    assert "没有一个键是已知的" in told
    assert "以行号代替" in told
    assert not ENGLISH.findall(told)
