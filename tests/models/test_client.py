"""Calls over real HTTP against scripted servers, in the formats of three providers, streamed and not."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from email.utils import formatdate

import pytest
from tests.models.scripted import Reply, calls, completion, error, serve, text
from tests.models.wires import Said

from headwater.errors import MissingExtraError, SetupError
from headwater.models import (
    ChatRequest,
    ClientOptions,
    ContextError,
    DeadlineError,
    Message,
    ModelError,
    Price,
    RateLimiter,
    RemoteModel,
    Tool,
    Usage,
    open_model,
    structured,
)

KEY = "sk-very-secret-key"
HELLO = ChatRequest((Message("system", "s"), Message("user", "hello")), max_tokens=100)
TOOL = Tool("find", "Find.", {"type": "object", "properties": {"name": {"type": "string"}}})
ASKING = ChatRequest((Message("user", "?"),), tools=(TOOL,))
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
NAMES = {"openai": "tester", "anthropic": "claude-sonnet-4-6", "google": "gemini-2.5-flash"}
HEADERS = ("authorization", "x-api-key", "x-goog-api-key")


class Shown:
    """Keeps what a watcher is told."""

    def __init__(self):
        self.pieces, self.reasons = [], []

    def text(self, piece):
        self.pieces.append(piece)

    def again(self, reason):
        self.reasons.append(reason)


@pytest.fixture(params=list(NAMES))
def provider(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request):
    return request.param


def client(server, provider="openai", waits=None, **more):
    more.setdefault("options", ClientOptions(timeout=5.0, retries=3))
    sleep = (lambda _: None) if waits is None else waits.append
    url = server if isinstance(server, str) else server.url if provider == "openai" else server.root
    return RemoteModel(provider, NAMES[provider], url, KEY, sleep=sleep, **more)


def ask(model, request=HELLO, *, streamed=False, **more):
    return model.complete(request, watch=Shown() if streamed else None, **more)


def sent_key(server):
    return next(
        (server.headers[0][h].removeprefix("Bearer ") for h in HEADERS if h in server.headers[0]), None
    )


class TestReplies:
    def test_words_and_usage(self, provider, streamed):
        with serve([text("hi there", tokens=(12, 3))]) as server:
            model = client(server, provider, price=Price(1.0, 2.0))
            reply = ask(model, streamed=streamed)
        assert (reply.text, reply.finish, reply.model) == ("hi there", "stop", "scripted")
        assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 12, 3)
        assert reply.usage.usd == pytest.approx((12 * 1.0 + 3 * 2.0) / 1e6)
        assert reply.usage.seconds > 0
        assert sent_key(server) == KEY
        assert server.paths == [
            {
                "openai": "/v1/chat/completions",
                "anthropic": "/v1/messages",
                "google": f"/v1beta/models/{NAMES['google']}:"
                + ("streamGenerateContent" if streamed else "generateContent"),
            }[provider]
        ]

    def test_a_server_that_repeats_the_key_does_not_get_it_into_a_reply(self, provider, streamed):
        with serve([text(f"you sent {KEY}, {KEY}"), calls(("find", {"name": KEY}))]) as server:
            model = client(server, provider)
            replies = [ask(model, ASKING, streamed=streamed) for _ in range(2)]
        assert replies[0].text == "you sent ***, ***"
        assert replies[1].tool_calls[0].arguments == {"name": "***"}
        assert KEY not in repr([reply.to_dict() for reply in replies])

    def test_what_is_sent_to_a_server_like_openais(self):
        with serve([text("hi")]) as server:
            ask(client(server), ChatRequest(HELLO.messages, max_tokens=100, seed=7))
        sent = server.requests[0]
        assert sent["messages"] == [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "hello"},
        ]
        assert (sent["temperature"], sent["max_tokens"], sent["model"], sent["seed"]) == (0, 100, "tester", 7)
        assert "stream_options" not in sent

    def test_a_setting_that_a_model_does_not_take_is_left_out_in_silence(self):
        code = (
            "import sys; from headwater.models import ChatRequest, Message, RemoteModel\n"
            "model = RemoteModel('anthropic', 'claude-opus-4-8', sys.argv[1], 'key')\n"
            "print(model.complete(ChatRequest((Message('user', '?'),))).text)"
        )
        with serve([text("hi")]) as server:
            command = [sys.executable, "-c", code, server.root]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert (done.stdout.strip(), done.stderr) == ("hi", "")
        assert "temperature" not in server.requests[0]

    def test_words_are_shown_as_they_arrive(self, provider):
        shown = Shown()
        with serve([text("one two three four")]) as server:
            reply = client(server, provider).complete(HELLO, watch=shown)
        assert len(shown.pieces) > 2
        assert "".join(shown.pieces) == reply.text == "one two three four"
        assert shown.reasons == []

    def test_tokens_of_the_providers_cache(self, provider, streamed):
        written = 30 if provider == "anthropic" else 0
        said = Said("hi", tokens=(120, 7), cached=20, written=written)
        with serve([Reply(said=said)]) as server:
            price = Price(10.0, 100.0, cached=1.0, written=12.5)
            usage = ask(client(server, provider, price=price), streamed=streamed).usage
        assert (usage.input_tokens, usage.cached_tokens, usage.written_tokens) == (120, 20, written)
        plain = 120 - 20 - written
        assert usage.usd == pytest.approx((plain * 10 + 20 * 1 + written * 12.5 + 7 * 100) / 1e6)

    def test_the_fixed_part_of_a_request_is_marked_for_anthropics_cache(self):
        with serve([text("x")]) as server:
            ask(client(server, "anthropic"), ChatRequest(HELLO.messages, tools=(TOOL,)))
        sent = server.requests[0]
        assert "cache_control" in sent["tools"][-1] and "cache_control" in sent["system"][-1]
        assert "cache_control" not in json.dumps(sent["messages"])

    def test_untold_tokens_are_unknown_and_stay_so_in_sums(self, streamed):
        with serve([text("hi"), text("hi", tokens=None)]) as server:
            model = client(server)
            first, second = ask(model, streamed=streamed).usage, ask(model, streamed=streamed).usage
        assert first.usd is None
        assert second.input_tokens is None
        assert (first + second).input_tokens is None
        assert (first + second).calls == 2
        assert Usage() + Usage(1, 2, 3, 0.5) == Usage(1, 2, 3, 0.5)

    @pytest.mark.parametrize("end", ["length", "content_filter"])
    def test_why_a_reply_ended(self, provider, streamed, end):
        with serve([text("hel" if end == "length" else "", finish=end)]) as server:
            assert ask(client(server, provider), streamed=streamed).finish == end

    @pytest.mark.parametrize(
        "body",
        [b"<html>", b"", b"{}", b"[]", b'{"choices": []}', b'{"choices": [{"message": null}]}', b'{"choices": [{"message": 3}]}', b"\xff"],
    )  # fmt: skip
    def test_what_is_no_reply_is_an_error(self, provider, streamed, body):
        with (
            serve([Reply(body, headers={"content-type": "application/json"})]) as server,
            pytest.raises(ModelError, match="no reply|broke off"),
        ):
            ask(client(server, provider, options=ClientOptions(5.0, 0)), streamed=streamed)


class TestRetries:
    def test_429_honours_retry_after(self, provider, streamed):
        waits = []
        with serve([error(429, retry_after="7"), text("ok")]) as server:
            reply = ask(client(server, provider, waits), streamed=streamed)
        assert reply.text == "ok"
        assert reply.usage.calls == 1
        assert 7 <= waits[0] <= 7.25

    def test_retry_after_as_a_date(self):
        waits = []
        with serve([error(503, retry_after=formatdate(time.time() + 30, usegmt=True)), text("ok")]) as server:
            ask(client(server, waits=waits))
        assert 25 <= waits[0] <= 31

    @pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 504, 529])
    def test_passing_failures(self, provider, streamed, status):
        with serve([error(status), text("ok")]) as server:
            assert ask(client(server, provider), streamed=streamed).text == "ok"

    def test_waits_grow_with_jitter(self):
        waits = []
        with serve([error(500), error(502), error(504), text("ok")]) as server:
            ask(client(server, waits=waits))
        assert all(0.25 * 2**i <= wait <= 0.5 * 2**i for i, wait in enumerate(waits))
        assert len(waits) == 3

    def test_gives_up_and_says_why(self, provider):
        with (
            serve([error(500, "out of order")]) as server,
            pytest.raises(ModelError, match="4 times.*out of order"),
        ):
            ask(client(server, provider))
        assert len(server.requests) == 4

    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_other_refusals_are_not_repeated(self, provider, status):
        with serve([error(status, "bad request")]) as server, pytest.raises(ModelError, match="bad request"):
            ask(client(server, provider))
        assert len(server.requests) == 1

    def test_a_used_up_quota_is_not_waited_for(self):
        used_up = error(429, "no credit left", "insufficient_quota", retry_after="1")
        with serve([used_up]) as server, pytest.raises(ModelError, match="no credit left"):
            ask(client(server))
        assert len(server.requests) == 1

    @pytest.mark.parametrize("status", [401, 403, 404])
    def test_set_up_problems_end_it(self, provider, streamed, status):
        with serve([error(status)]) as server, pytest.raises(SetupError):
            ask(client(server, provider), streamed=streamed)
        assert len(server.requests) == 1

    def test_a_request_that_is_too_long_has_its_own_error(self, provider, streamed):
        told = {
            "openai": ("This model's maximum context length is 10 tokens.", "context_length_exceeded"),
            "anthropic": ("prompt is too long: 20 tokens > 10 maximum", "invalid_request_error"),
            "google": (
                "The input token count (20) exceeds the maximum number of tokens allowed (10).",
                "INVALID_ARGUMENT",
            ),
        }
        with serve([error(400, *told[provider])]) as server, pytest.raises(ContextError, match="10"):
            ask(client(server, provider), streamed=streamed)
        assert len(server.requests) == 1

    def test_llama_cpps_word_for_too_long(self):
        body = {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too large"}}
        with serve([Reply(json.dumps(body).encode(), 400)]) as server, pytest.raises(ContextError):
            ask(client(server))

    def test_hanging_server(self, provider, streamed):
        quick = ClientOptions(timeout=0.5, retries=1)
        with serve([Reply(hang=30), text("ok")]) as server:
            assert ask(client(server, provider, options=quick), streamed=streamed).text == "ok"

    def test_dripping_server_meets_the_same_time_out(self, provider, streamed):
        dripping = text("x" * 200)
        dripping.drip = 0.05
        with serve([dripping]) as server, pytest.raises(ModelError, match="in time"):
            ask(client(server, provider, options=ClientOptions(timeout=0.5, retries=0)), streamed=streamed)

    def test_cut_connection(self, provider, streamed):
        half = text("hello")
        half.cut = True
        with serve([half, text("whole")]) as server:
            assert ask(client(server, provider), streamed=streamed).text == "whole"

    def test_a_server_that_is_not_there(self, provider):
        with pytest.raises(SetupError, match="Nothing answers") as caught:
            ask(client("http://127.0.0.1:9/v1", provider))
        assert "127.0.0.1:9" in caught.value.where

    def test_deadline_ends_waiting(self):
        with serve([error(429, retry_after="60")]) as server, pytest.raises(DeadlineError):
            ask(client(server), deadline=time.monotonic() + 1)

    def test_passed_deadline_makes_no_call(self):
        with serve([text("x")]) as server, pytest.raises(DeadlineError):
            ask(client(server), deadline=time.monotonic() - 1)
        assert server.requests == []


class TestBrokenStreams:
    @pytest.mark.parametrize("how", ["cut", "early"])
    def test_one_that_breaks_half_way_is_made_again_whole(self, provider, how):
        half, shown = text("one two three four five", tokens=(50, 9)), Shown()
        setattr(half, how, True)
        with serve([half, text("whole", tokens=(50, 4))]) as server:
            model = client(server, provider, price=Price(1.0, 1.0))
            reply = model.complete(HELLO, watch=shown)
        assert reply.text == "whole"
        assert len(shown.reasons) == 1
        assert "whole" not in "".join(shown.pieces)
        assert "stream" not in server.requests[1] or not server.requests[1]["stream"]
        assert reply.usage.calls == 2
        assert reply.usage.usd is not None and reply.usage.usd > 54e-6

    def test_what_the_provider_had_told_by_then_is_counted(self):
        half = text("one two three four five", tokens=(5000, 9))
        half.cut = True
        with serve([half, text("whole", tokens=(5000, 4))]) as server:
            usage = ask(client(server, "anthropic"), streamed=True).usage
        assert usage.input_tokens == 10_000

    def test_one_that_keeps_breaking_ends_in_one_error(self, provider):
        half = text("one two three")
        half.cut = True
        with serve([half]) as server, pytest.raises(ModelError, match="4 times"):
            ask(client(server, provider), streamed=True)
        assert len(server.requests) == 4

    def test_an_error_told_within_a_stream_is_made_again(self):
        told = b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}\n\n'
        with serve([Reply(told, headers={"content-type": "text/event-stream"}), text("ok")]) as server:
            assert ask(client(server, "anthropic"), streamed=True).text == "ok"


class TestTools:
    def test_calls_and_results(self, provider, streamed):
        with serve([calls(("find", {"name": "x"}))]) as server:
            model = client(server, provider)
            reply = ask(model, ASKING, streamed=streamed)
            back = Message("tool", "the result", tool_call_id=reply.tool_calls[0].id)
            ask(model, ASKING.with_messages(reply.message(), back), streamed=streamed)
        assert [(c.name, c.arguments, c.problem) for c in reply.tool_calls] == [("find", {"name": "x"}, "")]
        assert "find" in json.dumps(server.requests[0]["tools"])
        again = server.requests[1].get("messages") or server.requests[1]["contents"]
        assert len(again) == 3
        assert "find" in json.dumps(again[1]) and "the result" in json.dumps(again[2])
        if provider != "google":
            assert reply.tool_calls[0].id in json.dumps(again[1])
            assert reply.tool_calls[0].id in json.dumps(again[2])

    @pytest.mark.parametrize("given", ['{"name": ', "[1]", '"x"', "null"])
    def test_malformed_arguments_are_told_not_lost(self, streamed, given):
        with serve([calls(("find", given))]) as server:
            call = ask(client(server), ASKING, streamed=streamed).tool_calls[0]
        assert call.arguments is None
        assert call.problem
        assert call.raw == given

    def test_malformed_arguments_of_anthropic(self):
        with serve([calls(("find", '{"name": '))]) as server:
            call = ask(client(server, "anthropic"), ASKING, streamed=True).tool_calls[0]
        assert (call.arguments, call.raw) == (None, '{"name": ')

    def test_malformed_call_of_google(self, streamed):
        with serve([calls(("find", '{"name": '))]) as server:
            reply = ask(client(server, "google"), ASKING, streamed=streamed)
        assert reply.tool_calls == ()
        assert "MALFORMED_FUNCTION_CALL" in reply.problem

    def test_a_malformed_call_can_stay_in_the_conversation(self, provider):
        with serve([calls(("find", '{"name": ')), text("ok")]) as server:
            reply = ask(client(server), ASKING)
            back = Message("tool", "bad", tool_call_id=reply.tool_calls[0].id)
            on = ASKING.with_messages(reply.message(), back)
            assert ask(client(server, provider), on).text == "ok"

    def test_arguments_as_an_object(self):
        call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
        with serve([completion({"tool_calls": [call]})]) as server:
            assert ask(client(server)).tool_calls[0].arguments == {"a": 1}

    @pytest.mark.parametrize("provider", ["anthropic", "google"])
    def test_thinking_goes_back_as_it_came(self, provider, streamed):
        both = (("find", {"name": "x"}), ("find", {"name": "y"}))
        with serve([calls(*both, thought=("hm", "SIGNED"))]) as server:
            model = client(server, provider)
            reply = ask(model, ASKING, streamed=streamed)
            kept = type(reply).from_dict(json.loads(json.dumps(reply.to_dict())))
            one = Message("assistant", kept.text, kept.tool_calls[:1], native=kept.native)
            back = Message("tool", "r", tool_call_id=kept.tool_calls[0].id)
            ask(model, ASKING.with_messages(one, back), streamed=streamed)
        sent = json.dumps(server.requests[1].get("messages") or server.requests[1]["contents"])
        assert "SIGNED" in sent or "U0lHTkVE" in sent
        assert '"x"' in sent and '"y"' not in sent
        assert "hm" not in reply.text

    def test_one_call_at_a_time_is_asked_for_where_it_is_known(self, monkeypatch):
        from headwater.models import _providers

        with serve([text("x")]) as server:
            request = ChatRequest(HELLO.messages, tools=(TOOL,), one_call=True)
            ask(client(server), request)
            own = _providers.Provider("openai", server.url, ("OPENAI_API_KEY",))
            monkeypatch.setitem(_providers.PROVIDERS, "openai", own)
            ask(client(server), request)
        assert "parallel_tool_calls" not in server.requests[0]
        assert server.requests[1]["parallel_tool_calls"] is False


class TestStructured:
    REQUEST = ChatRequest((Message("user", "?"),), schema=SCHEMA)

    @pytest.mark.parametrize("content", ['{"a": 1}', '```json\n{"a": 1}\n```'])
    def test_right(self, provider, streamed, content):
        with serve([text(content)]) as server:
            assert ask(client(server, provider), self.REQUEST, streamed=streamed).data == {"a": 1}
        assert '"additionalProperties": false' in json.dumps(server.requests[0]).replace(
            "additional_properties", "additionalProperties"
        )

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ("I think it is 1", "not JSON"), ('{"a": "1"}', "type integer"), ("{}", "lacks a"), ('{"a": 1, "b": 2}', "unknown fields: b"),
            ("[1]", "type object"), ('{"a": true}', "type integer"), ("", "not JSON"),
        ],
    )  # fmt: skip
    def test_wrong(self, content, problem):
        with serve([text(content)]) as server:
            reply = ask(client(server), self.REQUEST)
        assert reply.data is None
        assert problem in reply.problem
        assert reply.text == content

    def test_schema_in_the_prompt(self):
        with serve([text('{"a": 1}')]) as server:
            ask(client(server, options=ClientOptions(structured="prompt")), self.REQUEST)
        assert "response_format" not in server.requests[0]
        assert '"additionalProperties"' in server.requests[0]["messages"][0]["content"]

    def test_schema_in_the_prompt_for_a_model_that_takes_none(self):
        with serve([text('{"a": 1}')]) as server:
            RemoteModel("anthropic", "claude-3-haiku-20240307", server.root, KEY).complete(self.REQUEST)
        assert "additionalProperties" in json.dumps(server.requests[0]["messages"])

    def test_one_round_of_repair(self, provider):
        with serve([text('{"a": "x"}', tokens=(10, 5)), text('{"a": 4}', tokens=(20, 5))]) as server:
            reply = structured(client(server, provider), self.REQUEST)
        assert reply.data == {"a": 4}
        assert (reply.usage.calls, reply.usage.input_tokens) == (2, 30)
        assert "type integer" in json.dumps(server.requests[1])

    def test_the_second_call_can_be_forbidden(self):
        seen = []
        with serve([text("no"), text('{"a": 1}')]) as server:
            reply = structured(client(server), self.REQUEST, allow=lambda *told: seen.append(told))
        assert reply.data is None and len(server.requests) == 1
        assert seen[0][0].messages[-2].content == "no" and seen[0][1].calls == 1

    def test_not_more_than_one(self):
        with serve([text("no")]) as server:
            reply = structured(client(server), self.REQUEST)
        assert reply.data is None and "not JSON" in reply.problem
        assert len(server.requests) == 2


class TestKeys:
    def test_never_in_errors_or_prints(self, provider):
        with serve([error(500, f"bad key {KEY} given")]) as server:
            model = client(server, provider)
            with pytest.raises(ModelError) as caught:
                ask(model)
        told = json.dumps(caught.value.to_dict()) + repr(model) + str(vars(caught.value))
        assert KEY not in told
        assert "***" in caught.value.message

    def test_password_in_the_address_is_not_told(self):
        with pytest.raises(SetupError) as caught:
            ask(client("http://user:hidden-pass@127.0.0.1:9/v1"))
        assert "hidden-pass" not in json.dumps(caught.value.to_dict())

    def test_a_redirect_does_not_carry_the_key_away(self, provider, streamed):
        with serve([text("stolen")]) as other:
            away = Reply(b"", 307, {"location": f"{other.root}/v1/messages"})
            with serve([away]) as server, pytest.raises(ModelError):
                ask(client(server, provider), streamed=streamed)
            assert other.requests == []

    def test_other_servers_get_nothing_from_the_environment(self, provider, monkeypatch):
        for name in (
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "GOOGLE_API_KEY",
            "GEMINI_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
        ):
            monkeypatch.setenv(name, f"{KEY}-of-the-provider")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-private")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-team: private")
        monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: private")
        with serve([text("ok")]) as server:
            url = server.url if provider == "openai" else server.root
            open_model(f"{provider}:{NAMES[provider]}", base_url=url).complete(HELLO)
        sent = json.dumps(server.headers[0])
        assert KEY not in sent and "private" not in sent
        assert sent_key(server) is None
        assert not [name for name in server.headers[0] if name.startswith("x-stainless")]

    def test_other_servers_get_the_key_that_is_meant_for_them(self, provider):
        with serve([text("ok")]) as server:
            url = server.url if provider == "openai" else server.root
            environ = {"HEADWATER_MODEL_KEY": "meant", "OPENAI_API_KEY": KEY}
            open_model(f"{provider}:{NAMES[provider]}", base_url=url, environ=environ).complete(HELLO)
        assert sent_key(server) == "meant"

    def test_the_hint_of_a_refused_key_names_the_variable(self):
        with serve([error(401)]) as server, pytest.raises(SetupError) as caught:
            open_model("openai:m", base_url=server.url, environ={"OPENAI_API_KEY": KEY}).complete(HELLO)
        assert "HEADWATER_MODEL_KEY" in caught.value.hint


def test_limits_are_shared_by_threads_and_models_of_an_address():
    with serve([text("x")]) as server:
        waits = []
        limiter = RateLimiter(2, sleep=lambda s: (waits.append(s), time.sleep(0.01)), clock=time.monotonic)
        models = [client(server, limiter=limiter) for _ in range(2)]
        ends = time.monotonic() + 0.5
        threads = [
            threading.Thread(target=lambda m=m: pytest.raises(DeadlineError, ask, m, deadline=ends))
            for m in models
        ]
        ask(models[0]), ask(models[1])
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.requests) == 2


def test_first_calls_from_many_threads_share_one_loop(monkeypatch):
    from headwater.models import _loop

    async def here():
        return asyncio.get_running_loop()

    monkeypatch.setattr(_loop, "_loops", {})
    start, seen = threading.Barrier(16), []
    threads = [
        threading.Thread(target=lambda: (start.wait(), seen.append(_loop.run(here())))) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 16 and len(set(seen)) == 1


def test_without_the_packages_there_is_one_clear_message(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="pydantic-ai-slim") as caught:
        open_model("ollama:m", environ={})
    assert "headwater[models]" in caught.value.hint


def test_without_a_part_of_them_too():
    code = (
        "import sys; sys.modules['anthropic'] = None\n"
        "from headwater.models import ChatRequest, Message, open_model\n"
        "from headwater.errors import MissingExtraError\n"
        "try: open_model('anthropic:m', environ={'ANTHROPIC_API_KEY': 'k'}).complete(ChatRequest((Message('user', '?'),)))\n"
        "except MissingExtraError as error: print(error.message, error.hint)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "not installed" in out.stdout and "headwater[models]" in out.stdout


def test_the_library_is_loaded_with_the_first_call_only():
    code = (
        "import sys; from headwater.models import open_model; m = open_model('ollama:m', environ={}); "
        "print([n for n in ('pydantic_ai', 'openai', 'anthropic', 'pydantic', 'genai_prices') if n in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
