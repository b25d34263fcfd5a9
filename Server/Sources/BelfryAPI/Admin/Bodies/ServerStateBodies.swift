import BelfryModel
import BelfryServices

/// `GET /api/v1/server/state`.
package struct ServerStateResponse: Hashable, Sendable, Codable {
    package struct Database: Hashable, Sendable, Codable {
        package var engine: String
        package var version: String
        /// In bytes.
        package var size: Int64
        package var schema: Int
        /// The version of the schema that the program knows.
        package var knownSchema: Int
    }

    /// The space of the disk, in bytes.
    package struct Disk: Hashable, Sendable, Codable {
        package var total: Int64
        package var available: Int64
        package var floor: Int64
        package var isLow: Bool
    }

    package struct Queue: Hashable, Sendable, Codable {
        package var count: Int
        package var oldest: String?
    }

    package struct Halted: Hashable, Sendable, Codable {
        package var app: String
        package var campaign: String
        package var name: String
        package var reason: String
    }

    package struct Refused: Hashable, Sendable, Codable {
        package var app: String
        package var devices: Int
    }

    package var time: String
    package var readiness: String
    package var database: Database
    /// Nil when no disk of the database is watched.
    package var disk: Disk?
    package var queues: [String: Queue]
    package var halted: [Halted]
    package var refused: [Refused]
    package var auditLinesHeld: Int
}

extension ServerStateResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "time": .of(Timestamp.self).described("By the server's clock."),
            "readiness": .word(Readiness.State.allCases.map(\.rawValue)).described("As in the response of `/readyz`."),
            "database": .object([
                "engine": .string(), "version": .string(), "size": .count.described("In bytes."), "schema": .count,
                "knownSchema": .count.described("The schema that the program knows."),
            ]),
            "queues": .map(of: .object(["count": .count], optional: ["oldest": .of(Timestamp.self)]))
                .described(
                    "`registrations`, `plans`, `batches`, `silentPushes` and `erasures` that wait, of all processes, "
                        + "counted up to \(WorkQueues.maximumCount)."
                ),
            "halted": .list(
                of: .object([
                    "app": .of(AppCode.self), "campaign": .of(CampaignID.self), "name": .string(),
                    "reason": .string().described("For people."),
                ])
            ).described("Campaigns that the server has paused, the newest \(OperationsQueries.maximumHalted)."),
            "refused": .list(of: .object(["app": .of(AppCode.self), "devices": .count]))
                .described("Apps whose credentials a push service has rejected, and how many devices wait."),
            "auditLinesHeld": .count.described("Audit log entries that wait for the database."),
        ],
        optional: [
            "disk": .object([
                "total": .count, "available": .count, "floor": .count.described("So many bytes are to stay free."),
                "isLow": .boolean,
            ]).described(
                "The database's, in bytes. Absent where the server watches none: PostgreSQL on another machine, or one "
                    + "whose folder it does not know."
            )
        ]
    )
}

extension ServerStateResponse {
    init(_ services: APIServices) async throws {
        let facts = try await services.operations.facts()
        let halted = try await services.operations.halted()
        self.init(
            time: Timestamp.text(services.now()), readiness: await services.readiness.state().rawValue,
            database: Database(
                engine: facts.engine, version: facts.engineVersion, size: facts.size, schema: facts.schema,
                knownSchema: OperationsQueries.knownSchema
            ),
            disk: services.storage.diskReport.map { report in
                Disk(
                    total: report.space.total, available: report.space.available, floor: report.floor,
                    isLow: report.isLow
                )
            },
            queues: Self.queues(try await services.operations.queues()),
            halted: halted.campaigns.map {
                Halted(app: $0.app, campaign: $0.id.description, name: $0.name, reason: $0.reason)
            },
            refused: halted.senders.map { Refused(app: $0.app, devices: $0.devices) },
            auditLinesHeld: services.access.log.heldCount
        )
    }

    private static func queues(_ queues: WorkQueues) -> [String: Queue] {
        [
            "registrations": queues.registrations, "plans": queues.plans, "batches": queues.batches,
            "silentPushes": queues.silentPushes, "erasures": queues.erasures,
        ].mapValues { Queue(count: $0.count, oldest: $0.oldest.map(Timestamp.text)) }
    }
}
