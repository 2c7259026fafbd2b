"""Work in a thread of its own: heard of in order, never left running."""

from __future__ import annotations

import threading

import pytest

from mnemic.record.background import BackgroundTask


def test_what_came_of_it_is_taken() -> None:
    with BackgroundTask[int]() as behind:
        assert behind.take() is None
        behind.start(lambda: 7)
        assert behind.take() == 7
        assert behind.take() is None


def test_it_runs_while_the_caller_goes_on() -> None:
    going_on = threading.Event()
    with BackgroundTask[bool]() as behind:
        behind.start(lambda: going_on.wait(10))
        going_on.set()
        assert behind.take()


def test_a_failure_is_raised_where_it_is_waited_for() -> None:
    def fail() -> int:
        raise ValueError("first")

    with BackgroundTask[int]() as behind:
        behind.start(fail)
        with pytest.raises(ValueError, match="first"):
            behind.take()


def fail_and_then_fail_again() -> None:
    def fail() -> int:
        raise ValueError("first")

    with BackgroundTask[int]() as behind:
        behind.start(fail)
        raise KeyError("second")


def test_what_failed_first_is_heard_of() -> None:
    with pytest.raises(ValueError, match="first") as caught:
        fail_and_then_fail_again()
    assert isinstance(caught.value.__context__, KeyError)


def test_nothing_is_left_running() -> None:
    release, done = threading.Event(), threading.Event()

    def work() -> None:
        release.wait(10)
        done.set()

    def stop_meanwhile() -> None:
        with BackgroundTask[None]() as behind:
            behind.start(work)
            release.set()
            raise KeyError("stop")

    with pytest.raises(KeyError):
        stop_meanwhile()
    assert done.is_set()


def test_where_no_thread_can_be_started_the_work_is_done_all_the_same() -> None:
    usual = threading.stack_size(1 << 46)  # more than any machine can give
    try:
        with BackgroundTask[threading.Thread]() as behind:
            behind.start(threading.current_thread)
            assert behind.take() is threading.current_thread()
    finally:
        threading.stack_size(usual)
