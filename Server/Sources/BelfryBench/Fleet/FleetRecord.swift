import BelfryCommand

/// Records the cost of each kind of work.
struct FleetRecord {
    private let engine: String
    private let meter: EngineMeter
    private(set) var phases: [FleetBenchReport.Phase] = []
    /// The tables' statistics after the last phase.
    private(set) var tables: [TableChurn]

    /// - Parameter engine: the engine's name for the progress lines.
    init(_ engine: String, by meter: EngineMeter) throws {
        self.engine = engine
        self.meter = meter
        tables = try meter.tables()
    }

    /// Does some work and records its cost. What the database does as a result within the next seconds counts too,
    /// except for the time.
    ///
    /// - Returns: the outputs of the work.
    @discardableResult
    mutating func note<Output: Sendable>(
        _ work: FleetWork, _ body: () async throws -> FleetLoad<Output>
    ) async throws -> [Output] {
        let before = try meter.cost()
        let clock = ContinuousClock()
        let begin = clock.now
        let load = try await body()
        let seconds = (clock.now - begin).inSeconds
        try await meter.settle()
        let cost = try meter.cost().since(before)
        let tables = try meter.tables()
        phases.append(
            FleetBenchReport.Phase(
                work, operations: load.operations, seconds: seconds, cost: cost, milliseconds: load.milliseconds,
                tables: tables.since(self.tables)
            )
        )
        self.tables = tables
        Console.say("\(engine): \(load.operations) \(work.name) in \(seconds.text(places: 1)) s")
        return load.outputs
    }
}
