import BelfryCommand

/// The figures of one run of `belfry bench engines`.
struct EnginesBenchReport: Encodable {
    /// The kinds of work that are measured (PERF-15).
    enum Work: String, CaseIterable, Encodable, Sendable {
        case oneEvent, fiftyEvents, fetches, syncs, registrations, campaign

        var name: String {
            switch self {
            case .oneEvent: "events, one a request"
            case .fiftyEvents: "events, 50 a request"
            case .fetches: "fetches of a message center"
            case .syncs: "in-app syncs with nothing new"
            case .registrations: "first registrations"
            case .campaign: "devices of a whole campaign"
            }
        }

        /// The minimum ratio of PostgreSQL's speed to SQLite's.
        var target: Double { self == .registrations ? 0.5 : 0.6 }
    }

    /// The rates of one kind of work, in operations per second.
    struct Figure: Encodable {
        let work: Work
        let sqlite: Double
        let postgres: Double

        var ratio: Double { sqlite > 0 ? (postgres / sqlite).rounded(places: 3) : 0 }

        private enum CodingKeys: String, CodingKey {
            case work, sqlite, postgres, ratio
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(work, forKey: .work)
            try container.encode(sqlite, forKey: .sqlite)
            try container.encode(postgres, forKey: .postgres)
            try container.encode(ratio, forKey: .ratio)
        }
    }

    let figures: [Figure]
    /// Whether PostgreSQL's commits wait for the disk, as SQLite's do.
    let isSynced: Bool

    var table: String {
        var table = TextTable("A SECOND", "SQLITE", "POSTGRESQL", "RATIO", "TARGET (PERF-15)")
        for figure in figures {
            table.add(
                figure.work.name, figure.sqlite.text(), figure.postgres.text(), figure.ratio.text(places: 3),
                "≥ \(figure.work.target.text(places: 1))"
            )
        }
        guard !isSynced else { return table.text }
        return
            "\(table.text)\n\nThis PostgreSQL server has fsync off: its commits do not wait for the disk, SQLite's do."
    }
}
