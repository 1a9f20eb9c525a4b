"""How a Gaussian process of BoTorch is trained here: long at first, then on from where the last ask left it."""

import warnings

import torch
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from gpytorch.mlls import ExactMarginalLogLikelihood

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
torch.set_default_dtype(torch.double)

FIRST, LATER = 300, 50  # steps
SEARCH = {
    "num_restarts": 4, "raw_samples": 128, "options": {"batch_limit": 4, "init_batch_limit": 128, "maxiter": 50},
}


def trained(model, last=None, again=True):
    """The model; `last` is that of the ask before, or none. Not `again`: it keeps the parameters of the last."""
    if last is not None:
        kept = {name: value for name, value in last.state_dict().items() if not name.startswith("outcome_transform")}
        model.load_state_dict(kept, strict=False)
        if not again:
            return model
    try:
        likelihood = ExactMarginalLogLikelihood(model.likelihood, model)
        fit_gpytorch_mll(likelihood, optimizer_kwargs={"options": {"maxiter": LATER if last else FIRST}})
    except ModelFittingError:
        pass
    return model
