import BelfryServerModel

/// Why sends failed, as a metric. Push services have words of their own, so only so many are told apart.
extension Metrics {
    /// Series of reasons; what comes beyond them is counted as `other`.
    static let maximumReasons = 200
    static let maximumReasonLength = 48
    package static let failureReasons = "belfry_delivery_failures_total"

    func countReasons(_ verdicts: [DeliveryResult]) {
        var counts: [String: Int] = [:]
        for verdict in verdicts where verdict.update.state != .accepted && verdict.update.state != .pending {
            let name = Self.failure(verdict.update.reason?.rawValue, of: verdict.provider?.rawValue ?? "none")
            counts[name, default: 0] += 1
        }
        guard !counts.isEmpty else { return }
        var known = Set(values.keys.filter { Self.family(of: $0) == Self.failureReasons })
        for (name, count) in counts {
            guard known.contains(name) || known.count < Self.maximumReasons else {
                add(count, to: Self.failure("other", of: Self.label("provider", of: name) ?? ""))
                continue
            }
            known.insert(name)
            add(count, to: name)
        }
    }

    /// A label is made of letters, digits and a few signs, whatever a push service calls its reason.
    static func failure(_ reason: String?, of provider: String) -> String {
        let word = (reason ?? "unknown").utf8.prefix(maximumReasonLength).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        return "\(failureReasons){provider=\"\(provider)\",reason=\"\(String(decoding: word, as: UTF8.self))\"}"
    }
}

/// What a database says went wrong: a server by its SQLSTATE, SQLite by the name of its result code.
extension Metrics {
    package static let databaseErrors = "belfry_database_errors_total"

    /// A state has five digits and capital letters; there are some hundred, and anything else is counted together.
    package func countDatabaseError(_ state: String) {
        let isState =
            state.utf8.count == 5
            && state.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
        add(1, to: "\(Self.databaseErrors){sqlstate=\"\(isState ? state : "other")\"}")
    }

    /// - Parameter word: one of the few that the engine has for them.
    package func countSQLiteError(_ word: String) {
        add(1, to: "\(Self.databaseErrors){sqlite=\"\(word)\"}")
    }

    /// - Parameter reason: why a transaction runs again, of a few.
    package func countRepeatedTransaction(_ reason: String) {
        add(1, to: "belfry_database_repeated_total{reason=\"\(reason)\"}")
    }
}
