import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Has audience rows and events follow contacts in the background, where a contact has so many devices, or a device so
/// many events, that one transaction would hold the writer for long (SEC-9).
///
/// A turn takes a limited number of pages, one of each contact and device in a circle: whoever makes much of it waits
/// longer themselves, and keeps neither others nor the writer. Each page notes how far it has come, so a restart goes on
/// from there, and several processes do no harm to each other.
package struct ContactFollower: Service {
    /// Where the next turn goes on.
    package struct Place: Sendable {
        fileprivate var contact = Int64.min
        fileprivate var move = EventMove.Position.start

        package init() {}
    }

    /// Seconds between two turns.
    static let interval: TimeInterval = 1
    /// Pages of each kind in one turn: 2,000 devices and 20,000 events.
    static let pagesAtOnce = 20

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let logger: Logger

    package init(database: any SQLDatabase, environment: ServerEnvironment, logger: Logger) {
        self.database = database
        self.environment = environment
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(remembering: Place()) { place in
            try await turn(from: &place)
            return Self.interval
        }
    }

    /// Follows some contacts and devices further. If the database fails, the rest is left for later. What fails by itself
    /// has the others wait for the next turn: a contact that cannot be read is passed over then, and holds no events up.
    package func turn(from place: inout Place) async throws(CancellationError) {
        try await pages(from: &place) { try await followContact(&$0) }
        try await pages(from: &place) { try await moveEvents(&$0) }
    }

    /// - Parameter page: returns false when there is nothing to do.
    private func pages(
        from place: inout Place, _ page: (inout Place) async throws -> Bool
    ) async throws(CancellationError) {
        do {
            for _ in 0..<Self.pagesAtOnce {
                guard try await page(&place) else { return }
                guard !Task.isCancelled else { throw CancellationError() }
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.failed("contacts cannot be followed", error)
        }
    }

    /// - Returns: false when there is no contact to follow.
    private func followContact(_ place: inout Place) async throws -> Bool {
        let last = place.contact
        guard let next = try await database.read({ try $0.contactFollowings.next(after: last) }) else { return false }
        place.contact = next.contact
        let devices = try await database.read { try $0.contactFollowings.devices(of: next) }
        let reached = devices.count < AudienceRepository.maximumRows ? nil : devices.last
        try await database.write(turn: .patient) { connection in
            guard try connection.contactFollowings.advance(next, to: reached) else { return }
            try connection.audiences.catchUp(devices, with: next.contact, app: next.app)
        }
        return true
    }

    /// - Returns: false when there are no events to move.
    private func moveEvents(_ place: inout Place) async throws -> Bool {
        let last = place.move
        guard let next = try await database.read({ try $0.eventMoves.next(after: last) }) else { return false }
        place.move = next.position
        try await database.write(turn: .patient) { try $0.eventMoves.go(on: next) }
        return true
    }
}
