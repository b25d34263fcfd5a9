import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Moves audience rows, events and registrations to another contact in the background, if a contact has so many
/// devices, or a device has sent so much, that one transaction would occupy the writer for long (SEC-9).
///
/// A turn takes a limited number of pages, one from each contact and one from each device in rotation. So a contact
/// with very much work waits longer itself, and holds up neither others nor the writer. Each page records its progress,
/// so that work continues after a restart, and several processes do not interfere.
///
/// A page is counted before it starts. Work that fails or ends the process each time is quarantined (SEC-8).
package struct ContactFollower: Service {
    /// The position from which the next turn continues.
    package struct Place: Sendable {
        fileprivate var contact = Int64.min
        fileprivate var move = EventMove.Position.start
        fileprivate var failures = FollowingFailures()
        /// Whether the database has failed, for any of the queries.
        fileprivate var trouble = Trouble()

        package init() {}
    }

    /// The result of a page.
    private enum Page {
        case taken
        /// The work failed before, and its pause is not over.
        case passedOver(FollowingWork)
        /// There is no work.
        case nothing
    }

    /// Seconds between two turns.
    static let interval: TimeInterval = 1
    /// Pages of each kind in one turn: 2,000 devices, and 20,000 events and registrations each or 160 MiB of both.
    static let pagesAtOnce = 20

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    let logger: Logger

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, logger: Logger
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(remembering: Place()) { place in
            try await turn(from: &place)
            return Self.interval
        }
    }

    /// Moves some pages. If the database fails, the rest is left for later, without a pause for any work. Work that
    /// fails by itself pauses (``FollowingFailures``), and holds up no other work.
    package func turn(from place: inout Place) async throws(CancellationError) {
        try await pages(from: &place) { try await followContact(&$0) }
        try await pages(from: &place) { try await moveEvents(&$0) }
        if let trouble = place.trouble.end(now: environment.now()) {
            logger.notice(
                "the database lets contacts be followed again", metadata: ["failures": "\(trouble.failures)"])
        }
    }

    private func pages(
        from place: inout Place, _ page: (inout Place) async throws -> Page
    ) async throws(CancellationError) {
        do {
            try await takePages(from: &place, page)
            place.trouble.succeed()
        } catch let error as CancellationError {
            throw error
        } catch let error where error.meansTryAgain {
            logger.failed(Self.failure, error)
        } catch {
            // Logged only at the first failure, because a damaged database fails each turn.
            if place.trouble.fail(error, now: environment.now()) { logger.failed(Self.failure, error) }
        }
    }

    private static let failure: Logger.Message = "contacts cannot be followed"

    private func takePages(from place: inout Place, _ page: (inout Place) async throws -> Page) async throws {
        var passedOver: Set<FollowingWork> = []
        for _ in 0..<Self.pagesAtOnce {
            switch try await page(&place) {
            case .nothing: return
            case .passedOver(let work):
                // The same work was skipped before in this turn, so all remaining work is in its pause.
                guard passedOver.insert(work).inserted else { return }
            case .taken: passedOver = []
            }
            guard !Task.isCancelled else { throw CancellationError() }
        }
    }

    private func followContact(_ place: inout Place) async throws -> Page {
        let (last, owner, now) = (place.contact, attempts.owner, environment.now())
        let found = try await database.read { try $0.contactFollowings.next(after: last, for: owner, now: now) }
        guard let next = found else { return .nothing }
        place.contact = next.contact
        return try await attempt(.contact(next.contact), &place.failures) {
            let devices = try await database.read { try $0.contactFollowings.devices(of: next) }
            let reached = devices.count < AudienceRepository.maximumRows ? nil : devices.last
            return try await database.write(turn: .patient) { connection -> Bool in
                try connection.hold([next.contact])
                let isOn = try connection.contactFollowings.advance(next, to: reached)
                if isOn { try connection.audiences.catchUp(devices, with: next.contact, app: next.app) }
                // If another walk has replaced this one, this one has ended as well.
                let isDone = !isOn || reached == nil
                try connection.workAttempts.stepped(.contactFollowing(next.contact), isDone: isDone)
                return isDone
            }
        }
    }

    private func moveEvents(_ place: inout Place) async throws -> Page {
        let (last, owner, now) = (place.move, attempts.owner, environment.now())
        let found = try await database.read { try $0.eventMoves.next(after: last, for: owner, now: now) }
        guard let next = found else { return .nothing }
        // The next page belongs to another device in any case: each login may leave a move of its own.
        place.move = next.position.endOfDevice
        let page = try await attempt(.events(next.position), &place.failures) {
            try await database.write(turn: .patient) { connection -> Bool in
                let isDone = try !connection.eventMoves.go(on: next)
                let subject = WorkSubject.eventMove(device: next.device, contact: next.contact)
                try connection.workAttempts.stepped(subject, isDone: isDone)
                return isDone
            }
        }
        // The device's other moves do not wait for one in its pause.
        if case .passedOver = page { place.move = next.position }
        return page
    }

    /// Runs one page of some work, unless the work failed a short time ago.
    ///
    /// - Parameter page: returns whether the work is done.
    private func attempt(
        _ work: FollowingWork, _ failures: inout FollowingFailures, _ page: () async throws -> Bool
    ) async throws -> Page {
        guard !failures.rests(work, at: environment.now()) else { return .passedOver(work) }
        do {
            // If much work waits, the rotation takes long to return to this one.
            let step = try await attempts.step(
                work.subject, rest: FollowingFailures.firstPause, isGivenBack: true
            ) { () async throws -> (isDone: Bool, output: Bool) in
                (isDone: try await page(), output: true)
            }
            let hadFailed = failures.succeed(work)
            // Otherwise the work was just quarantined, and is tried again only if an operator retries it.
            if step != nil, hadFailed {
                logger.notice("a contact or its events can be followed again", metadata: ["work": "\(work)"])
            }
        } catch let error where error.meansBadContent {
            if failures.fail(work, at: environment.now()) {
                logger.failed(
                    "a contact or its events cannot be followed, and are tried again ever less often", error,
                    ["work": "\(work)"]
                )
            }
        }
        return .taken
    }
}
