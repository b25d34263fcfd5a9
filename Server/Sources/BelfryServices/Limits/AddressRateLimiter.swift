import Foundation

/// Counts calls and content from an address (SEC-2, SEC-9). An IPv6 network of 64 bits counts as one address. But a
/// single customer often gets 48 bits, which is 65,536 such networks, so that larger network has a limit, too.
package struct AddressRateLimiter: Sendable {
    /// The limit of an IPv6 network of 48 bits, as a multiple of an address's. Some mobile carriers give each phone 64
    /// bits, so many people may share 48.
    package static let addressesPerSite = 8

    let quota: Quota
    private let addresses: RateLimiter<IPAddress>
    private let sites: RateLimiter<IPAddress>

    init(_ quota: Quota, maximumCount: Int) {
        self.quota = quota
        addresses = RateLimiter(quota, maximumCount: maximumCount)
        sites = RateLimiter(quota * Self.addressesPerSite, maximumCount: maximumCount)
    }

    init(_ limit: RateLimit, maximumCount: Int) {
        self.init(Quota(minute: limit), maximumCount: maximumCount)
    }

    /// Grants one of this many equal parts from now on.
    func divide(by parts: Int) {
        addresses.divide(by: parts)
        sites.divide(by: parts)
    }

    /// Counts a call or its content. If the larger network's limit rejects it, it does not count for the address, and
    /// takes no memory.
    ///
    /// - Returns: nil if it is granted; otherwise the seconds until it would be.
    func take(_ address: IPAddress, _ weight: Int = 1, now: Date) -> Int? {
        guard let site = address.site else { return addresses.take(address, weight, now: now) }
        if let wait = sites.take(site, weight, now: now) { return wait }
        guard let wait = addresses.take(address, weight, now: now) else { return nil }
        sites.putBack(site, weight)
        return wait
    }

    /// Undoes the count of what was granted.
    func putBack(_ address: IPAddress, _ weight: Int = 1) {
        addresses.putBack(address, weight)
        if let site = address.site { sites.putBack(site, weight) }
    }

    /// The note of a divided limit, as in ``RateLimiter/division``.
    var division: String { addresses.division }

    /// The number of addresses with a count.
    var count: Int { addresses.count }
}

extension Quota {
    fileprivate static func * (quota: Quota, factor: Int) -> Quota {
        Quota(minute: quota.minute * factor, day: quota.day.map { $0 * factor })
    }
}
