import BelfryServerModel

/// A metric of the reasons for failed sends. Push services choose the words, so the number of different reasons is
/// bounded.
extension Metrics {
    /// The most series of reasons; further reasons are counted as `other`.
    static let maximumReasons = 200
    static let maximumReasonLength = 48
    package static let failureReasons = "belfry_delivery_failures_total"

    func countReasons(_ results: [DeliveryResult]) {
        var counts: [String: Int] = [:]
        for result in results where result.update.state != .accepted && result.update.state != .pending {
            let name = Self.failure(result.update.reason?.rawValue, of: result.provider?.rawValue ?? "none")
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

    /// The series of a reason. Its label has only letters, digits and a few signs, whatever the push service's word
    /// contains.
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

/// Metrics of database errors: by SQLSTATE for PostgreSQL, by the name of the result code for SQLite.
extension Metrics {
    package static let databaseErrors = "belfry_database_errors_total"

    /// Counts an SQLSTATE, which has five digits and capital letters. There are some hundred; anything else is counted
    /// together.
    package func countDatabaseError(_ state: String) {
        let isState =
            state.utf8.count == 5
            && state.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
        add(1, to: "\(Self.databaseErrors){sqlstate=\"\(isState ? state : "other")\"}")
    }

    /// - Parameter word: the name of a result code, one of few.
    package func countSQLiteError(_ word: String) {
        add(1, to: "\(Self.databaseErrors){sqlite=\"\(word)\"}")
    }

    /// - Parameter reason: why a transaction is repeated, one of few.
    package func countRepeatedTransaction(_ reason: String) {
        add(1, to: "belfry_database_repeated_total{reason=\"\(reason)\"}")
    }
}
