import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import ServiceLifecycle

/// One rehearsal that a worker runs: it reads a page, decides about it on a background thread, which takes no processor
/// from calls of devices (PERF-13), and continues with the next page. Every few pages a short write stores the results
/// and finds out whether the rehearsal is to continue.
struct RehearsalRun: Sendable {
    /// How many pages are stored together: a call that writes right after them also syncs them to disk.
    static let pagesAtOnce = 16
    /// Seconds after which the finished pages are stored even if they are fewer.
    static let patience: TimeInterval = 1

    let previews: CampaignPreviewer
    let row: RehearsalRow
    let owner: String
    private var database: any SQLDatabase { previews.database }
    private var environment: ServerEnvironment { previews.environment }

    /// How a run ended.
    enum End: Hashable, Sendable {
        case done
        /// The rehearsal was cancelled, or another worker has leased it.
        case lost
        /// This process is stopping.
        case stopped
    }

    /// - Throws: ``ServiceError`` if the campaign cannot be rehearsed; a store error if the run cannot continue now.
    func run() async throws -> (end: End, figures: RehearsalFigures?) {
        let (id, owner) = (row.id, owner)
        let (app, lastDevice) = try await database.read { [row] connection in
            (
                try connection.apps.find(id: row.app),
                try connection.audiences.devices(app: row.app)?.upperBound ?? 0
            )
        }
        guard let app else { throw ServiceError.unknownApp(String(row.app)) }
        let scene = try await previews.rehearsalScene(of: row.campaign, app: app, lastDevice: lastDevice)
        let (version, launch) = (scene.version, scene.launch)
        let mark = try await database.write { [row] connection -> ErasureMark? in
            let isOurs = try connection.rehearsals.begin(
                id, owner: owner, version: version, launchAt: launch, lastDevice: lastDevice
            )
            return isOurs ? try connection.erasures.mark(app: row.app) : nil
        }
        guard let mark else { return (.lost, nil) }
        return try await play(scene, since: mark)
    }

    private func play(
        _ scene: RehearsalScene, since mark: ErasureMark
    ) async throws -> (end: End, figures: RehearsalFigures?) {
        let (reading, stage) = (scene.reading, RehearsalStage(scene))
        var unkept: [FoundPage] = []
        var keptAt = environment.now()
        var reached: Int64 = 0
        while true {
            let input = try await read(reading, after: reached)
            reached = input.reached
            let isLast = reached >= reading.lastDevice
            let page = await play(input, on: stage)
            if !page.members.isEmpty { unkept.append(page) }
            let isTime = environment.now().timeIntervalSince(keptAt) >= Self.patience
            if isLast || isTime || unkept.count >= Self.pagesAtOnce {
                guard try await keep(unkept, since: mark, reached: reached, audience: stage.audience) else {
                    return (.lost, nil)
                }
                unkept = []
                keptAt = environment.now()
            }
            if isLast { break }
            if Task.isShuttingDownGracefully || Task.isCancelled { return (.stopped, nil) }
        }
        return (.done, stage.figures(warnings: scene.warnings))
    }

    private func play(_ input: RehearsalInput, on stage: RehearsalStage) async -> FoundPage {
        await withCheckedContinuation { continuation in
            environment.background.run {
                continuation.resume(returning: FoundPage(stage.play(input), of: input))
            }
        }
    }

    private func read(_ reading: RehearsalReading, after device: Int64) async throws -> RehearsalInput {
        // The query may wait long for a processor, so a shutdown cancels it.
        try await cancelWhenGracefulShutdown {
            try await database.ask(.rehearsing) { try reading.page(after: device, $0) }
        }
    }

    /// - Returns: whether the rehearsal is to continue.
    private func keep(
        _ found: [FoundPage], since mark: ErasureMark, reached: Int64, audience: Int
    ) async throws -> Bool {
        let (id, owner, app) = (row.id, owner, row.app)
        return try await database.write(turn: .patientUnsynced) { connection in
            // An erasure does not find people in a page that is not stored yet, so they are removed here.
            let gone =
                try connection.erasures.mayHaveGoneOn(since: mark, app: app)
                ? connection.erasures.moved(found.flatMap(\.members)) : []
            return try connection.rehearsals.advance(
                id, owner: owner, pages: found.compactMap { $0.packed(without: gone) }, reached: reached,
                audience: audience
            )
        }
    }

    /// A page that is not stored yet, with its devices' contacts at the time of the read.
    private struct FoundPage {
        private let page: RehearsalPage
        /// The page, packed in advance so that the writer need not do it.
        private let packed: PackedRehearsalPage?
        let members: [AudienceMember]

        init(_ page: RehearsalPage, of input: RehearsalInput) {
            self.page = page
            packed = PackedRehearsalPage(page)
            members = input.recipients.map { AudienceMember(device: $0.device, contact: $0.contact) }
        }

        /// The packed page without some devices; nil if nothing is left.
        func packed(without gone: Set<Int64>) -> PackedRehearsalPage? {
            guard !gone.isEmpty, page.devices.contains(where: { gone.contains($0.device) }) else { return packed }
            return PackedRehearsalPage(RehearsalPage(page.devices.filter { !gone.contains($0.device) }))
        }
    }
}
