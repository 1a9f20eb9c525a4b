"""Baton with its defaults: one campaign over all tasks (`baton`), or a new one for each (`baton-cold`)."""

import baton

from problem import Choice, Integer, Method


def parameter(one):
    if isinstance(one, Choice):
        return baton.choice(list(one.values))
    if isinstance(one, Integer):
        return baton.integer(one.low, one.high, log=one.log)
    return baton.log(one.low, one.high) if one.log else baton.real(one.low, one.high)


class Baton(Method):
    campaign = None
    settings = None

    def begun(self, seed):
        return baton.Campaign(
            {name: parameter(one) for name, one in self.family.space.items()}, goal="minimize",
            fidelities=self.family.fidelities, settings=self.settings, seed=seed,
        )

    def task(self, work):
        self.campaign = self.campaign or self.begun(self.seed)
        task = self.campaign.task(f"task {work.number}", budget=self.family.budget)
        while (trial := task.ask()) is not None:
            task.tell(trial, work.evaluate(trial.params, trial.fidelity))
        return dict(task.finish())


class Cold(Baton):
    def task(self, work):
        self.campaign = self.begun(100 * self.seed + work.number)
        return super().task(work)
