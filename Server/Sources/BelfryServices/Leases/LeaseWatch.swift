import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Ends leases that a clock that is wrong has made too long (PUSH-5, REL-6).
///
/// A lease is a moment, written by its holder's clock. A holder that dies while its clock is a day ahead would keep what
/// it held for that day. So a lease that ends later than any can is not believed: it ends once nobody has renewed it for
/// the time of a lease. A holder that is alive renews it, and keeps it, whichever of the two clocks is wrong.
///
/// What else it has put down by that clock waits as long: so this process's workers do what they do when their own clock
/// was set back.
package struct LeaseWatch: Service {
    /// Leases of each kind that are looked at at once.
    private static let limit = 1_000

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let clocks: [ClockWatch]
    let logger: Logger

    /// - Parameter clocks: those of the workers that see to what waits by a wrong clock.
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

    /// One look at what ends too late. Those who wait for work find what has become free when they look next.
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
            // Holders could not renew anything either.
            sightings = LeaseSightings()
            logger.failed("it cannot be seen which leases are too long", error)
        }
    }
}

/// Which leases stand unchanged, look after look. It is counted in looks, not by a clock: it is told only of leases of
/// which a clock says that they will not end for long, and that clock, or one's own, is wrong.
struct LeaseSightings: Sendable {
    /// Looks after the first one within which a holder that is alive renews its lease. They are ``LeaseTerm/renewal``
    /// apart, and take the time of a lease.
    static let patience = Int(LeaseTerm.length / LeaseTerm.renewal)

    /// How often each was seen since it stands as it does.
    private var counts: [StoredLease: Int] = [:]

    /// - Parameter leases: all that are there at this look; what is not among them is forgotten.
    /// - Returns: those whose holders are dead.
    mutating func abandoned(among leases: [StoredLease]) -> [StoredLease] {
        let before = counts
        counts = leases.reduce(into: [:]) { $0[$1] = before[$1, default: 0] + 1 }
        return leases.filter { counts[$0, default: 0] > Self.patience }
    }
}
