import BelfryStore

extension GaugeQuestion {
    /// How many subjects are quarantined, of all processes.
    package static func quarantine(in database: any SQLDatabase) -> GaugeQuestion {
        GaugeQuestion(name: "quarantine", failure: "the quarantine cannot be counted") {
            let counts = try await database.read { try $0.workAttempts.counts() }
            return WorkKind.allCases.reduce(into: [:]) { values, kind in
                values["belfry_quarantined{kind=\"\(kind.rawValue)\"}"] = counts[kind] ?? 0
            }
        }
    }
}
