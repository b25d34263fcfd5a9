import BelfryModel
import BelfryServerModel
import BelfryServices

/// A rehearsal: its progress and its results (CON-12).
package struct RehearsalResponse: Hashable, Sendable, Codable {
    /// Devices with the same expected outcome.
    package struct Outcome: Hashable, Sendable, Codable {
        package var state: DeliveryState
        package var reason: String?
        package var count: Int
    }

    package struct Hour: Hashable, Sendable, Codable {
        package var from: String
        package var count: Int
    }

    /// The devices of one time zone, platform or locale.
    package struct Group: Hashable, Sendable, Codable {
        /// Absent: the devices that report none.
        package var name: String?
        package var audience: Int
        package var reached: Int
    }

    /// One device and its expected outcome.
    package struct Sample: Hashable, Sendable, Codable {
        package var deviceId: String
        package var state: DeliveryState
        package var reason: String?
        package var at: String
    }

    /// A difference from the previous rehearsal.
    package struct Change: Hashable, Sendable, Codable {
        package var state: DeliveryState
        package var reason: String?
        package var before: Int
        package var now: Int
    }

    package var id: String
    package var status: RehearsalStatus
    package var version: String
    package var requestedAt: String
    package var startedAt: String?
    package var endedAt: String?
    /// The launch time for which the rehearsal was made.
    package var launchAt: String?
    /// The progress, from 0 to 1.
    package var progress: Double
    package var audience: Int
    package var problem: String?
    package var reached: Int?
    package var placed: Int?
    package var crowded: Int?
    package var firstAt: String?
    package var lastAt: String?
    package var outcomes: [Outcome]?
    package var byHour: [Hour]?
    package var byZone: [Group]?
    package var byPlatform: [Group]?
    package var byLocale: [Group]?
    package var samples: [Sample]?
    package var warnings: [String]?
    /// The rehearsal with which this one is compared.
    package var former: String?
    package var changes: [Change]?
}

extension RehearsalResponse {
    /// - Parameters:
    ///   - samples: some devices of each outcome.
    ///   - former: the previous rehearsal; nil when there was none.
    init(_ rehearsal: Rehearsal, samples: [RehearsedPerson], former: Rehearsal?) {
        id = String(rehearsal.id)
        status = rehearsal.status
        version = rehearsal.version
        requestedAt = Timestamp.text(rehearsal.requestedAt)
        startedAt = rehearsal.startedAt.map(Timestamp.text)
        endedAt = rehearsal.endedAt.map(Timestamp.text)
        launchAt = rehearsal.launchAt.map(Timestamp.text)
        progress = rehearsal.progress
        audience = rehearsal.audience
        problem = rehearsal.problem
        guard let figures = rehearsal.figures else { return }
        fill(figures)
        self.samples = samples.map(Sample.init)
        guard let former, let formerFigures = former.figures else { return }
        self.former = String(former.id)
        changes = RehearsalChange.all(from: formerFigures, to: figures).map { change in
            Change(
                state: change.outcome.state, reason: change.outcome.reason?.rawValue, before: change.before,
                now: change.now
            )
        }
    }

    private mutating func fill(_ figures: RehearsalFigures) {
        reached = figures.reached
        placed = figures.placed > 0 ? figures.placed : nil
        crowded = figures.crowded > 0 ? figures.crowded : nil
        firstAt = figures.firstAt.map(Timestamp.text)
        lastAt = figures.lastAt.map(Timestamp.text)
        outcomes = figures.outcomes.sorted { $1.count < $0.count }.map {
            Outcome(state: $0.outcome.state, reason: $0.outcome.reason?.rawValue, count: $0.count)
        }
        byHour = figures.byHour.map { Hour(from: Timestamp.text($0.from), count: $0.count) }
        byZone = figures.byZone.map(Group.init)
        byPlatform = figures.byPlatform.map(Group.init)
        byLocale = figures.byLocale.map(Group.init)
        warnings = figures.warnings.isEmpty ? nil : figures.warnings
    }
}

extension RehearsalResponse.Group {
    fileprivate init(_ group: RehearsedGroup) {
        self.init(name: group.name, audience: group.audience, reached: group.reached)
    }
}

extension RehearsalResponse.Sample {
    init(_ person: RehearsedPerson) {
        self.init(
            deviceId: person.device, state: person.outcome.state, reason: person.outcome.reason?.rawValue,
            at: Timestamp.text(person.at)
        )
    }
}

extension RehearsalResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "id": .string(), "status": .cases(of: RehearsalStatus.self), "version": .rehearsedVersion,
            "requestedAt": .of(Timestamp.self),
            "progress": .number(0...1).described("How many of the app's devices were looked at."),
            "audience": .count.described("The sum of the outcomes; while it is running, the devices so far."),
        ],
        optional: [
            "startedAt": .of(Timestamp.self), "endedAt": .of(Timestamp.self),
            "launchAt": .of(Timestamp.self).described("The launch that was rehearsed."),
            "problem": .string().described("Why it failed, as a sentence."),
            "reached": .count.described("The devices that would get it."),
            "placed": .count.described("Devices for which a message would be placed in a message center."),
            "crowded": .count.described("Those on which it would displace an older message from the center."),
            "firstAt": .of(Timestamp.self).described("When the first message would be sent."),
            "lastAt": .of(Timestamp.self).described("When the last message would be sent."),
            "outcomes": .list(of: .of(Outcome.self)).described("The largest first."),
            "byHour": .list(of: .of(Hour.self)).described("When messages would be sent."),
            "byZone": .list(of: .of(Group.self)), "byPlatform": .list(of: .of(Group.self)),
            "byLocale": .list(of: .of(Group.self)),
            "samples": .list(of: .of(Sample.self)).described("Some devices of each outcome."),
            "warnings": .list(of: .string())
                .described("Side effects of the campaign, or what prevents its launch, as sentences."),
            "former": .string().described("The id of the rehearsal before."),
            "changes": .list(of: .of(Change.self)).described("The outcomes that have changed since that one."),
        ]
    )
}

extension RehearsalResponse.Outcome: Described {
    static let schemaName = "RehearsedOutcome"

    static let schema: JSONSchema = .object(
        ["state": .cases(of: DeliveryState.self).described("As in the ledger."), "count": .count],
        optional: ["reason": .string().described("As in the ledger; `notTriggered` for an in-app message.")]
    )
}

extension RehearsalResponse.Hour: Described {
    static let schemaName = "RehearsedHour"

    static let schema: JSONSchema = .object([
        "from": .of(Timestamp.self).described("The first moment of the hour."), "count": .count,
    ])
}

extension RehearsalResponse.Group: Described {
    static let schemaName = "RehearsedGroup"

    static let schema: JSONSchema = .object(
        ["audience": .count, "reached": .count.described("Those that would get it.")],
        optional: ["name": .string().described("Absent: the devices that report none. `others`: the sum of the rest.")]
    )
}

extension RehearsalResponse.Sample: Described {
    static let schemaName = "RehearsedDevice"

    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "state": .cases(of: DeliveryState.self),
            "at": .of(Timestamp.self).described("When it would be sent, or end."),
        ],
        optional: ["reason": .string()]
    )
}

extension RehearsalResponse.Change: Described {
    static let schemaName = "RehearsalChange"

    static let schema: JSONSchema = .object(
        ["state": .cases(of: DeliveryState.self), "before": .count, "now": .count], optional: ["reason": .string()]
    )
}
