import BelfryStore

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
