import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import ServiceLifecycle

/// One rehearsal that a worker has under way: it reads page after page, and decides about one while the next is read.
/// The writer is asked for a moment every few pages, to keep what was found and to hear whether it goes on.
struct RehearsalRun: Sendable {
    /// Pages that are kept together.
    static let pagesAtOnce = 20
    /// Seconds after which those that there are, are kept.
    static let patience: TimeInterval = 1

    let campaigns: CampaignService
    let row: RehearsalRow
    let owner: String

    private var database: any SQLDatabase { campaigns.database }
    private var environment: ServerEnvironment { campaigns.environment }

    /// How a run came to an end.
    enum End: Hashable, Sendable {
        case done
        /// Somebody cancelled it, or another worker has it.
        case lost
        /// This process stops.
        case stopped
    }

    /// - Throws: ``ServiceError`` when the campaign cannot be rehearsed; what the store says when it cannot go on now.
    func run() async throws -> (end: End, figures: RehearsalFigures?) {
        let (id, owner) = (row.id, owner)
        let (app, lastDevice) = try await database.read { [row] connection in
            (
                try connection.apps.find(id: row.app),
                try connection.audiences.devices(app: row.app)?.upperBound ?? 0
            )
        }
        guard let app else { throw ServiceError.unknownApp(String(row.app)) }
        var scene = try await campaigns.rehearsalScene(of: row.campaign, app: app, lastDevice: lastDevice)
        let (version, launch) = (scene.version, scene.launch)
        let isOurs = try await database.write { connection in
            try connection.rehearsals.begin(
                id, owner: owner, version: version, launchAt: launch, lastDevice: lastDevice
            )
        }
        guard isOurs else { return (.lost, nil) }
        return try await play(&scene)
    }

    private func play(_ scene: inout RehearsalScene) async throws -> (end: End, figures: RehearsalFigures?) {
        let reading = scene.reading
        var tally = RehearsalTally(launch: scene.launch)
        var unkept: [RehearsalPage] = []
        var keptAt = environment.now()
        var input = try await read(reading, after: 0)
        while true {
            let reached = input.reached
            let isLast = reached >= reading.lastDevice
            async let following: RehearsalInput? = isLast ? nil : read(reading, after: reached)
            let page = tally.add(scene.player.play(input), crowded: input.crowded)
            if !page.devices.isEmpty { unkept.append(page) }
            let isTime = environment.now().timeIntervalSince(keptAt) >= Self.patience
            if isLast || isTime || unkept.count >= Self.pagesAtOnce {
                guard try await keep(unkept, reached: reached, audience: tally.audience) else { return (.lost, nil) }
                unkept = []
                keptAt = environment.now()
            }
            guard let next = try await following else { break }
            if Task.isShuttingDownGracefully || Task.isCancelled { return (.stopped, nil) }
            input = next
        }
        return (.done, tally.figures(warnings: scene.warnings))
    }

    private func read(_ reading: RehearsalReading, after device: Int64) async throws -> RehearsalInput {
        try await database.ask(.planning) { try reading.page(after: device, $0) }
    }

    /// - Returns: whether it goes on.
    private func keep(_ pages: [RehearsalPage], reached: Int64, audience: Int) async throws -> Bool {
        let (id, owner) = (row.id, owner)
        return try await database.write(turn: .unsynced) { connection in
            try connection.rehearsals.advance(id, owner: owner, pages: pages, reached: reached, audience: audience)
        }
    }
}
