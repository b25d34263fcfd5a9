"""The part of Docs/Operations/Scaling.md that Scripts/scaling writes (FLEET-9)."""
import scaling_tables as tables
from scaling_figures import FiguresError, read
from scaling_shape import Fleet, Machine, Prices, Shape
from scaling_text import count, percent, size

FIGURES = "Benchmarks/fleet-figures.json"
PAGE = "Docs/Operations/Scaling.md"
BEGIN = "<!-- scaling:begin: Scripts/scaling --write -->"
END = "<!-- scaling:end -->"
# A smaller run, by whose figures the large one is predicted; it need not be there.
TRIAL = "Benchmarks/fleet-trial.json"
UNMEASURED = f"""**Not measured yet.** `{FIGURES}` does not exist. The run that makes it is described
[above](#measure); `Scripts/scaling --write` then puts the tables here."""
# On SQLite one process has the file: larger fleets are none of its.
SQLITE_SIZES = tables.SIZES[:1]


def fleets(figures, engine, sizes, shape, machine, prices):
    """One for each number of devices."""
    for work in tables.WORKS:
        cost = engine.cost(work)
        if cost.server is None or cost.database is None:
            raise FiguresError(f"{engine.name}: the processor time of {work} is unknown; measure beside the database")
    return [Fleet(devices, shape, machine, prices, engine, figures.devices) for devices in sizes]


def measured(figures, engine):
    """What the run gave."""
    state = [
        f"{engine.name}, {count(figures.devices)} devices, {figures.days} days: "
        f"{size(engine.stored)} on disk after the week"
    ]
    if engine.hot_share is not None:
        state.append(f"{percent(engine.hot_share)} of the updates wrote no index (HOT)")
    if engine.dead_share is not None:
        state.append(f"{percent(engine.dead_share)} of the rows are dead")
    if not engine.is_synced:
        state.append("**its commits did not wait for the disk (fsync off): no base for a plan**")
    return f"""{'; '.join(state)}.

A thousand operations of each kind:

{tables.figures_table(engine)}

What one takes on disk:

{tables.bytes_table(engine)}"""


def plan(found):
    """What fleets of these sizes take, and where the first limit of each kind is."""
    parts = [
        "What fleets of the example's use take:", tables.sizing_table(found),
        "Which limit of the largest machine is met when:", tables.limits_table(found[-1]),
    ]
    if not found[0].engine.is_sqlite:
        middle = found[len(found) // 2]
        parts += [f"What grows with what, at {count(middle.devices)} devices:", tables.growth_table(middle)]
    return "\n\n".join(parts)


def examples(shape, machine, prices):
    return "\n\n".join(tables.options_table(values) for values in (shape, machine, prices))


def tried(figures, trial):
    """What the figures of the smaller run say of the large one."""
    found = [f"By the figures of a run of {count(trial.devices)} devices and {trial.days} days:"]
    for engine in trial.engines:
        kind = engine.name.split()[0]
        found += [f"{kind}:", tables.prediction_table(engine, figures.devices, figures.days, figures.engine(kind))]
    return "\n\n".join(found)


def block(figures, trial=None):
    """What belongs between the markers; without a run it says so."""
    if figures is None:
        return UNMEASURED
    shape, machine, prices = Shape(), Machine(), Prices()
    parts = []
    for engine in sorted(figures.engines, key=lambda engine: engine.is_sqlite):
        sizes = SQLITE_SIZES if engine.is_sqlite else tables.SIZES
        found = fleets(figures, engine, sizes, shape, machine, prices)
        parts.append(f"### {engine.name}\n\n{measured(figures, engine)}\n\n{plan(found)}")
    if trial:
        parts.append(f"### The formulas, tried\n\n{tried(figures, trial)}")
    return "\n\n".join([*parts, f"### The example's parameters\n\n{examples(shape, machine, prices)}"])


def committed(root):
    """The figures that the page shows, and those of the smaller run; None for one that is not there."""
    paths = [root / name for name in (FIGURES, TRIAL)]
    return [read(path.read_text(encoding="utf-8")) if path.exists() else None for path in paths]


def renewed(page, figures, trial=None):
    """The page with the block of these figures."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise FiguresError(f"{PAGE} needs '{BEGIN}' and after it '{END}', each once")
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{block(figures, trial)}\n\n{END}{rest.split(END)[1]}"
