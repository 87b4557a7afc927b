"""Writes metrics.json: what scikit-learn and SciPy say of random predictions, for the tests of package eval."""

import json

import numpy as np
import sklearn
from scipy import stats
from sklearn import calibration, isotonic, metrics

rng = np.random.default_rng(7)
cases = []
for classes, n, ties in [(2, 40, False), (2, 57, True), (2, 200, False), (3, 50, False), (5, 120, True), (3, 9, True)]:
    truth = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    raw = rng.normal(size=(n, classes)) + 1.2 * np.eye(classes)[truth]
    if ties:
        raw = np.round(raw, 0)
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    said = p.argmax(axis=1)
    one_hot = np.eye(classes)[truth]
    ranked = p[:, 1] if classes == 2 else p
    if classes == 2:
        precision = metrics.average_precision_score(truth, p[:, 1])
        brier = metrics.brier_score_loss(truth, p[:, 1])
    else:
        precision = metrics.average_precision_score(one_hot, p, average="macro")
        brier = np.mean(np.sum((p - one_hot) ** 2, axis=1))
    cases.append({
        "truth": truth.tolist(), "probabilities": p.tolist(), "scores": {
            "accuracy": metrics.accuracy_score(truth, said),
            "balanced-accuracy": metrics.balanced_accuracy_score(truth, said),
            "f1": metrics.f1_score(truth, said, average="macro"),
            "weighted-f1": metrics.f1_score(truth, said, average="weighted"),
            "roc-auc": metrics.roc_auc_score(truth, ranked, multi_class="ovr", average="macro"),
            "average-precision": precision,
            "log-loss": metrics.log_loss(truth, p),
            "brier": brier,
        }})

numbers = []
for n in [2, 3, 100]:
    truth = rng.normal(size=n) * 3 + 1
    said = truth + rng.normal(size=n)
    numbers.append({"truth": truth.tolist(), "predicted": said.tolist(), "scores": {
        "rmse": metrics.mean_squared_error(truth, said, squared=False),
        "mae": metrics.mean_absolute_error(truth, said),
        "r2": metrics.r2_score(truth, said),
    }})

calibrations = []
for n, ties in [(30, False), (200, True)]:
    truth = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    decisions = 3 * (rng.normal(size=n) + truth - 0.3)
    if ties:
        decisions = np.round(decisions, 0)
    asked = np.linspace(decisions.min() - 1, decisions.max() + 1, 23)
    sigmoid = calibration._SigmoidCalibration().fit(decisions, truth)
    monotone = isotonic.IsotonicRegression(out_of_bounds="clip").fit(decisions, truth)
    calibrations.append({
        "truth": truth.tolist(), "decisions": decisions.tolist(), "asked": asked.tolist(),
        "platt": sigmoid.predict(asked).tolist(), "isotonic": monotone.predict(asked).tolist(),
    })

tests = []
for n, k, digits in [(10, 4, 3), (10, 3, 1), (30, 5, 4), (5, 2, 2)]:
    scores = np.round(rng.normal(size=(k, n)) + 0.4 * np.arange(k)[:, None], digits)
    share = 1 / 9  # test part over training part of ten folds
    t, wilcoxon = [], []
    for other in scores[1:]:
        d = scores[0] - other
        statistic = d.mean() / np.sqrt((1 / n + share) * d.var(ddof=1))
        t.append(2 * stats.t.sf(abs(statistic), n - 1))
        kept = d[d != 0]
        exact = len(set(abs(kept))) == len(kept) and len(kept) <= 50
        wilcoxon.append(stats.wilcoxon(kept, mode="exact" if exact else "approx", correction=False).pvalue)
    ranks = np.mean([stats.rankdata(-column) for column in scores.T], axis=0)
    tests.append({
        "scores": scores.tolist(), "share": share, "t": t, "wilcoxon": wilcoxon, "ranks": ranks.tolist(),
        "difference": stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n)),
    })

with open("metrics.json", "w") as f:
    json.dump({"by": f"scikit-learn {sklearn.__version__}", "classes": cases, "numbers": numbers,
               "calibrations": calibrations, "tests": tests}, f)
    f.write("\n")
