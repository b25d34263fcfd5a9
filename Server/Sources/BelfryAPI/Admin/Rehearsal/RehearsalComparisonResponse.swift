import BelfryModel
import BelfryServerModel
import BelfryServices

/// A rehearsal compared with what the campaign then did (CON-13).
package struct RehearsalComparisonResponse: Hashable, Sendable, Codable {
    /// A final state and its reason.
    package struct End: Hashable, Sendable, Codable {
        package var state: DeliveryState
        package var reason: String?
    }

    package struct Difference: Hashable, Sendable, Codable {
        /// Absent: these devices were not rehearsed.
        package var rehearsed: End?
        /// Absent: these devices were not in the campaign's audience.
        package var came: End?
        package var cause: RehearsalComparison.Cause
        package var count: Int
        /// Some of the devices.
        package var devices: [String]
    }

    package struct Line: Hashable, Sendable, Codable {
        package var state: DeliveryState
        package var reason: String?
        package var rehearsed: Int
        package var came: Int
    }

    package var equal: Int
    package var different: Int
    package var unexplained: Int
    package var isFinal: Bool
    package var comparedAt: String?
    package var lines: [Line]
    package var differences: [Difference]
}

extension RehearsalComparisonResponse {
    init(_ comparison: RehearsalComparison) {
        self.init(
            equal: comparison.equal, different: comparison.different, unexplained: comparison.unexplained,
            isFinal: comparison.isFinal, comparedAt: comparison.madeAt.map(Timestamp.text),
            lines: comparison.lines.map {
                Line(
                    state: $0.outcome.state, reason: $0.outcome.reason?.rawValue, rehearsed: $0.rehearsed,
                    came: $0.came
                )
            },
            differences: comparison.differences.map {
                Difference(
                    rehearsed: $0.rehearsed.map(End.init), came: $0.came.map(End.init), cause: $0.cause,
                    count: $0.count, devices: $0.devices
                )
            }
        )
    }
}

extension RehearsalComparisonResponse.End {
    fileprivate init(_ outcome: RehearsedOutcome) {
        self.init(state: outcome.state, reason: outcome.reason?.rawValue)
    }
}

extension RehearsalComparisonResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "equal": .count.described("Devices that ended as rehearsed."), "different": .count,
            "unexplained": .count.described("Those without a known cause."),
            "isFinal": .boolean.described("Whether the campaign is over, so that the comparison no longer changes."),
            "lines": .list(of: .of(Line.self)).described("Each outcome, as rehearsed and in fact."),
            "differences": .list(of: .of(Difference.self)).described("The largest first."),
        ],
        optional: [
            "comparedAt": .of(Timestamp.self).described(
                "When it was made: the comparison of a large running campaign is reused for some minutes."
            )
        ]
    )
}

extension RehearsalComparisonResponse.End: Described {
    static let schemaName = "ComparedOutcome"

    static let schema: JSONSchema = .object(
        ["state": .cases(of: DeliveryState.self)], optional: ["reason": .string()]
    )
}

extension RehearsalComparisonResponse.Difference: Described {
    static let schemaName = "RehearsalDifference"

    static let schema: JSONSchema = .object(
        [
            "cause": .cases(of: RehearsalComparison.Cause.self), "count": .count,
            "devices": .list(of: .string()).described("Some of them."),
        ],
        optional: [
            "rehearsed": .of(RehearsalComparisonResponse.End.self).described("Absent: they were not rehearsed."),
            "came": .of(RehearsalComparisonResponse.End.self).described("Absent: they were not in the audience."),
        ]
    )
}

extension RehearsalComparisonResponse.Line: Described {
    static let schemaName = "RehearsalLine"

    static let schema: JSONSchema = .object(
        ["state": .cases(of: DeliveryState.self), "rehearsed": .count, "came": .count],
        optional: ["reason": .string()]
    )
}
