import BelfryCommand

/// Notes what each kind of work has cost, while it is done.
struct FleetRecord {
    private let engine: String
    private let meter: EngineMeter
    private(set) var phases: [FleetBenchReport.Phase] = []
    /// As they were after the last phase.
    private(set) var tables: [TableChurn]

    /// - Parameter engine: its name, for whoever waits.
    init(_ engine: String, by meter: EngineMeter) throws {
        self.engine = engine
        self.meter = meter
        tables = try meter.tables()
    }

    /// Does some work. What the database does because of it within the next seconds counts as well, but for the time.
    ///
    /// - Returns: what the work has given.
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
