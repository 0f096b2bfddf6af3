"""A queue of jobs with priorities, and workers that take them."""

import heapq
import itertools
import time


class Job:
    """Something to do."""

    def __init__(self, name, priority=0):
        self.name = name
        self.priority = priority
        self.tries = 0
        self.done = False

    def __lt__(self, other):
        return self.priority > other.priority


class JobQueue:
    """Jobs that wait, the most important first."""

    def __init__(self, clock=time.monotonic):
        self._heap = []
        self._order = itertools.count()
        self._clock = clock
        self._paused = False

    def __len__(self):
        return len(self._heap)

    def put(self, job):
        """Let a job wait."""
        heapq.heappush(self._heap, (-job.priority, next(self._order), job))

    def take(self):
        """The most important job; None if there is none."""
        if self._paused or not self._heap:
            return None
        return heapq.heappop(self._heap)[2]

    def pause(self):
        """Give out no jobs until resumed."""
        self._paused = True

    def resume(self):
        """Give out jobs again."""
        self._paused = False

    def cancel(self, name):
        """Remove every job of a name."""
        self._heap = [entry for entry in self._heap if entry[2].name != name]
        heapq.heapify(self._heap)


class Worker:
    """Takes jobs from a queue and does them."""

    def __init__(self, queue, act, most_tries=3):
        self.queue = queue
        self.act = act
        self.most_tries = most_tries
        self.failed = []

    def step(self):
        """Do one job; whether there was one."""
        job = self.queue.take()
        if job is None:
            return False
        try:
            self.act(job)
            job.done = True
        except Exception:
            job.tries += 1
            if job.tries < self.most_tries:
                self.queue.put(job)
            else:
                self.failed.append(job)
        return True

    def drain(self):
        """Do jobs until there is none."""
        count = 0
        while self.step():
            count += 1
        return count
