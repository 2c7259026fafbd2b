"""Asking models in the protocols of their servers, and what comes back."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from mnemic.errors import BadAnswer, BudgetExhausted, ModelRefused, ModelUnavailable
from mnemic.providers.chat.base import ChatMessage, Meter, Spent
from tests.providers.scripted import Scripted, reply, silence, status
from tests.providers.speaking import (
    KEY,
    PROVIDERS,
    SCHEMA,
    ask,
    asking_fails,
    facts,
    says,
    talking,
)

pytestmark = pytest.mark.feature("X9", preset=["openakita", "semibot"])

TEA = '{"facts": ["likes tea"]}'
TALK = [ChatMessage("user", "hello"), ChatMessage("assistant", "hi"), ChatMessage("user", "tea?")]
SAID = [{"role": one.role, "content": one.text} for one in TALK]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_checked_object_and_what_it_took(server: Scripted, provider: str) -> None:
    server.then(reply(says(provider, TEA, tokens=1000)))
    prices = {"m": {"input": 2.0, "output": 6.0}}
    with talking(server, provider, prices=prices) as model:
        answer = ask(model)
        assert model.name == "m"
    assert answer.value == ["likes tea"]
    read = 1001 if provider == "anthropic" else 1000
    assert answer.spent == Spent("m", read, 1000, (read * 2 + 1000 * 6) / 1_000_000)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_text(server: Scripted, provider: str) -> None:
    server.then(reply(says(provider, "  喜欢茶。\n", tokens=10)))
    with talking(server, provider) as model:
        answer = model.write(TALK, system="Sum up.", purpose="summary")
    assert answer.value == "喜欢茶。"
    assert (answer.spent.output_tokens, answer.spent.cost) == (10, None)
    asked = server.asked[0].json
    assert "response_format" not in asked
    assert "tools" not in asked
    assert "format" not in asked
    if provider == "anthropic":
        assert (asked["system"], asked["messages"]) == ("Sum up.", SAID)
    else:
        assert asked["messages"] == [{"role": "system", "content": "Sum up."}, *SAID]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("text", "ending"), [("", ""), (" ", ""), (None, ""), ("half a", "cut")])
def test_no_text(server: Scripted, provider: str, text: str | None, ending: str) -> None:
    server.then(reply(says(provider, text, ending)))
    with talking(server, provider) as model, pytest.raises(BadAnswer, match="summary"):
        model.write("sum up", purpose="summary")


class TestProtocols:
    def sent(self, server: Scripted, provider: str, **given: Any) -> dict[str, Any]:
        server.then(reply(says(provider, TEA)))
        with talking(server, provider, max_tokens=77, **given) as model:
            ask(model, "tea?", system="Extract.")
        sent: dict[str, Any] = server.asked[0].json
        return sent

    @pytest.mark.parametrize("provider", ["openai", "dashscope"])
    def test_chat_completions(self, server: Scripted, provider: str) -> None:
        sent = self.sent(server, provider)
        assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("m", 77, 0.3)
        assert sent["stream"] is False
        system, user = sent["messages"]
        assert system["role"] == "system"
        assert system["content"].startswith("Extract.")
        on_the_wire = provider == "openai"
        assert ('"facts"' in system["content"]) != on_the_wire, "the schema is sent once"
        assert ("json_schema" in sent["response_format"]) == on_the_wire
        assert user == {"role": "user", "content": "tea?"}
        form = sent["response_format"]
        if provider == "openai":
            assert form["type"] == "json_schema"
            assert form["json_schema"]["schema"] == SCHEMA
        else:
            assert form == {"type": "json_object"}
        assert server.asked[0].path == "/chat/completions"
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"

    def test_messages(self, server: Scripted) -> None:
        sent = self.sent(server, "anthropic")
        assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("m", 77, 0.3)
        assert sent["system"].startswith("Extract.")
        assert sent["messages"] == [{"role": "user", "content": "tea?"}]
        (tool,) = sent["tools"]
        assert tool["input_schema"] == SCHEMA
        assert sent["tool_choice"] == {"type": "tool", "name": tool["name"]}
        asked = server.asked[0]
        assert asked.path == "/v1/messages"
        assert asked.headers["x-api-key"] == KEY
        assert asked.headers["anthropic-version"] == "2023-06-01"
        assert "authorization" not in asked.headers

    def test_a_tool_call_is_the_answer(self, server: Scripted) -> None:
        blocks = [
            {"type": "text", "text": "I found this."},
            {"type": "tool_use", "name": "answer", "input": {"facts": ["likes tea"]}},
        ]
        server.then(reply({"content": blocks, "stop_reason": "tool_use", "usage": {}}))
        with talking(server, "anthropic") as model:
            assert ask(model).value == ["likes tea"]

    def test_ollama(self, server: Scripted) -> None:
        sent = self.sent(server, "ollama")
        assert sent["format"] == SCHEMA
        assert sent["stream"] is False
        assert sent["options"] == {"num_predict": 77, "num_ctx": 4096, "temperature": 0.3}
        assert server.asked[0].path == "/api/chat"

    def test_ollama_is_given_a_window_that_holds_the_prompt(self, server: Scripted) -> None:
        server.then(reply(says("ollama", TEA)))
        with talking(server, "ollama", max_tokens=1000) as model:
            ask(model, "茶" * 10_000)
        assert server.asked[0].json["options"]["num_ctx"] == 16_384

    def test_parts_of_a_text_are_put_together(self, server: Scripted) -> None:
        parts = [{"type": "text", "text": TEA[:9]}, {"type": "text", "text": TEA[9:]}]
        server.then(reply(says("openai", parts)))
        with talking(server) as model:
            assert ask(model).value == ["likes tea"]


class TestManners:
    """What a server does not take, it is not given again."""

    @pytest.mark.parametrize(("provider", "steps"), [("openai", 3), ("ollama", 2)])
    def test_json_is_asked_for_in_a_plainer_way(
        self, server: Scripted, provider: str, steps: int
    ) -> None:
        refusal = status(400, "response_format is not supported")
        server.then(*[refusal] * steps).always(reply(says(provider, TEA)))
        with talking(server, provider) as model:
            assert ask(model).value == ask(model).value == ["likes tea"]
        assert len(server.asked) == steps + 2, "it is not tried again the next time"
        last = server.asked[-1].json
        assert not {"response_format", "format"} & set(last)
        assert '"facts"' in last["messages"][0]["content"]

    def test_tools_that_are_not_taken(self, server: Scripted) -> None:
        server.then(status(400, "tool_choice")).always(reply(says("anthropic", TEA)))
        with talking(server, "anthropic") as model:
            assert ask(model).value == ["likes tea"]
        assert "tools" not in server.asked[-1].json

    def test_models_that_count_tokens_by_another_name(self, server: Scripted) -> None:
        said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        server.then(status(400, said), status(400, "temperature does not support 0.3"))
        server.then(reply(says("openai", TEA)))
        with talking(server, max_tokens=77) as model:
            assert ask(model).value == ["likes tea"]
        sent = server.asked[-1].json
        assert sent["max_completion_tokens"] == 77
        assert not {"max_tokens", "temperature"} & set(sent)
        assert sent["response_format"]["type"] == "json_schema", "which it never objected to"

    def test_thinking_that_must_be_forbidden(self, server: Scripted) -> None:
        said = "parameter.enable_thinking must be set to false for non-streaming calls"
        server.then(status(400, said), reply(says("dashscope", TEA)))
        with talking(server, "dashscope") as model:
            assert ask(model).value == ["likes tea"]
        assert server.asked[-1].json["enable_thinking"] is False

    @pytest.mark.parametrize("provider", PROVIDERS)
    def test_what_is_refused_in_every_form_is_refused(
        self, server: Scripted, provider: str
    ) -> None:
        said = f"max_completion_tokens enable_thinking temperature response_format {KEY}"
        server.always(status(400, said))
        with talking(server, provider) as model:
            assert type(asking_fails(model)) is ModelRefused
            assert len(server.asked) <= 7, "three options and four forms"
            server.always(reply(says(provider, TEA)))
            ask(model)
        assert server.asked[-1].json.keys() == server.asked[0].json.keys(), "nothing was learned"


class TestRepair:
    def test_a_bad_answer_is_given_back_with_what_was_wrong(self, server: Scripted) -> None:
        bad = '{"facts": "likes tea"}'
        server.then(reply(says("openai", bad, tokens=10)), reply(says("openai", TEA, tokens=20)))
        with talking(server, repairs=1) as model:
            answer = ask(model, system="Extract.")
        assert answer.value == ["likes tea"]
        assert (answer.spent.input_tokens, answer.spent.output_tokens) == (30, 30)
        first, second = (asked.json["messages"] for asked in server.asked)
        assert second[:2] == first
        assert second[2] == {"role": "assistant", "content": bad}
        assert "facts is not a list" in second[3]["content"]

    @pytest.mark.parametrize(
        ("system", "word"), [("Extract.", "Answer again"), ("提取事实。", "重新回答")]
    )
    def test_in_the_language_of_the_prompt(self, server: Scripted, system: str, word: str) -> None:
        server.then(reply(says("openai", "no")), reply(says("openai", TEA)))
        with talking(server, repairs=1) as model:
            ask(model, system=system)
        assert word in server.asked[1].json["messages"][-1]["content"]

    @pytest.mark.parametrize("system", ["Extract.", "提取事实。"])
    def test_a_cut_answer_is_asked_for_shorter(self, server: Scripted, system: str) -> None:
        server.then(reply(says("openai", TEA[:9], "cut")), reply(says("openai", TEA)))
        with talking(server, repairs=1) as model:
            assert ask(model, system=system).value == ["likes tea"]
        said = server.asked[1].json["messages"][-1]["content"]
        assert "shorter" in said or "简短" in said

    @pytest.mark.parametrize("provider", PROVIDERS)
    def test_no_empty_message_is_sent(self, server: Scripted, provider: str) -> None:
        server.then(reply(says(provider, "")), reply(says(provider, TEA)))
        with talking(server, provider, repairs=1) as model:
            ask(model)
        assert all(said["content"] for said in server.asked[1].json["messages"])

    @pytest.mark.parametrize("repairs", [0, 1, 3])
    def test_after_so_many_repairs_it_is_a_bad_answer(self, server: Scripted, repairs: int) -> None:
        server.always(reply(says("openai", "no")))
        with talking(server, repairs=repairs) as model:
            error = asking_fails(model)
        assert type(error) is BadAnswer
        assert "no JSON object" in error.message
        assert len(server.asked) == repairs + 1
        assert len(server.asked[-1].json["messages"]) <= 4, "only the last answer goes back"

    def test_a_repair_that_fails_is_that_failure(self, server: Scripted) -> None:
        server.then(reply(says("openai", "no")), status(503))
        with talking(server, repairs=1) as model:
            assert type(asking_fails(model)) is ModelUnavailable


@pytest.mark.feature("L5")
class TestMeter:
    def test_every_call_is_counted_also_the_useless_ones(self, server: Scripted) -> None:
        server.then(reply(says("openai", "no", tokens=5)), reply(says("openai", "", tokens=7)))
        seen: list[tuple[str, Spent]] = []
        meter = Meter(lambda: None, lambda purpose, spent: seen.append((purpose, spent)))
        with talking(server, repairs=1) as model:
            assert type(asking_fails(model.add_meter(meter))) is BadAnswer
        assert seen == [("extract", Spent("m", 5, 5)), ("extract", Spent("m", 7, 7))]

    def test_a_refused_answer_is_counted(self, server: Scripted) -> None:
        server.then(reply(says("openai", "", "declined", tokens=5)))
        seen: list[Spent] = []
        meter = Meter(lambda: None, lambda _, spent: seen.append(spent))
        with talking(server) as model:
            asking_fails(model.add_meter(meter))
        assert seen == [Spent("m", 5, 5)]

    def test_a_call_that_is_not_allowed_is_not_made(self, server: Scripted) -> None:
        def refuse() -> None:
            raise BudgetExhausted("No")

        with talking(server) as model:
            metered = model.add_meter(Meter(refuse, lambda _, spent: None))
            with pytest.raises(BudgetExhausted):
                metered.ask("x", purpose="extract", schema=SCHEMA, parse=facts)
            with pytest.raises(BudgetExhausted):
                metered.write("x", purpose="summary")
            metered.close()
        assert server.asked == []


def test_after_a_deadline_the_next_question_is_answered(server: Scripted) -> None:
    server.then(silence, reply(says("openai", TEA)))
    with talking(server, timeout=1) as model:
        assert type(asking_fails(model)) is ModelUnavailable
        assert ask(model).value == ["likes tea"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_is_logged_with_the_key(
    server: Scripted, provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.then(reply(says(provider, TEA)), status(401, KEY))
    with talking(server, provider) as model:
        ask(model)
        asking_fails(model)
    assert KEY not in caplog.text


@pytest.mark.parametrize("key", ["sk-\nsecret", "密钥-secret"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_key_that_cannot_be_sent_is_refused_unseen(
    server: Scripted, provider: str, key: str
) -> None:
    with talking(server, provider, api_key=key) as model:
        error = asking_fails(model)
    assert type(error) is ModelRefused
    assert "secret" not in str(error)
