import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Ends leases that a wrong clock has made too long (PUSH-5, REL-6).
///
/// A lease is stored as an end date, by its holder's clock. A holder that dies while its clock is a day ahead would
/// keep its work for that day. So a lease that ends later than any can is not trusted: it is ended when nobody has
/// renewed it for the length of a lease. A live holder renews and keeps it, whichever of the two clocks is wrong.
///
/// Other dates that the holder has written by that clock are wrong, too: so this process's workers react as if their
/// own clock had been set back.
package struct LeaseWatch: Service {
    /// The most leases of each kind that are read at once.
    private static let limit = 1_000

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let clocks: [ClockWatch]
    let logger: Logger

    /// - Parameter clocks: the clocks of the workers that handle work with wrong dates.
    package init(
        database: any SQLDatabase, environment: ServerEnvironment, clocks: [ClockWatch], logger: Logger
    ) {
        self.database = database
        self.environment = environment
        self.clocks = clocks
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(after: LeaseTerm.renewal, remembering: LeaseSightings()) { sightings in
            await look(&sightings)
            return LeaseTerm.renewal
        }
    }

    /// Checks once for leases that end too late. Workers find the released work when they next look for it.
    func look(_ sightings: inout LeaseSightings) async {
        let latest = environment.now().addingTimeInterval(WorkAttempt.longestLease)
        do {
            let found = try await database.read { try $0.leases.ending(after: latest, limit: Self.limit) }
            let abandoned = sightings.abandoned(among: found)
            guard !abandoned.isEmpty else { return }
            let count = try await database.write { try $0.leases.end(abandoned) }
            guard count > 0, let moment = abandoned.map(\.until).max() else { return }
            for clock in clocks { clock.note(moment) }
            logger.warning(
                "leases that a wrong clock had made too long were ended", metadata: ["count": "\(count)"]
            )
        } catch is CancellationError {
            return
        } catch {
            // If the database fails, holders could not renew their leases either, so counting starts again.
            sightings = LeaseSightings()
            logger.failed("it cannot be seen which leases are too long", error)
        }
    }
}

/// Counts how often each lease was seen unchanged. It counts checks, because time cannot be trusted: it only gets
/// leases that end far in the future by some clock, and either that clock or this server's is wrong.
struct LeaseSightings: Sendable {
    /// Checks after the first one within which a live holder renews its lease. They are ``LeaseTerm/renewal`` apart and
    /// together take the length of a lease.
    static let patience = Int(LeaseTerm.length / LeaseTerm.renewal)

    /// How often each lease was seen in its present form.
    private var counts: [StoredLease: Int] = [:]

    /// - Parameter leases: all leases of this check. Others are forgotten.
    /// - Returns: the leases whose holders are dead.
    mutating func abandoned(among leases: [StoredLease]) -> [StoredLease] {
        let before = counts
        counts = leases.reduce(into: [:]) { $0[$1] = before[$1, default: 0] + 1 }
        return leases.filter { counts[$0, default: 0] > Self.patience }
    }
}
