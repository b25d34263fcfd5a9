import Foundation

/// Counts what comes from an address (SEC-2, SEC-9). An IPv6 network of 64 bits is one address; but whoever rents a
/// single machine often gets 48 bits, which are 65,536 such networks. So the larger network has a limit, too.
package struct AddressRateLimiter: Sendable {
    /// The limit of an IPv6 network of 48 bits, in limits of an address. Some mobile carriers give each phone 64 bits of
    /// their own, so many people may share 48 bits.
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

    /// Counts a call, or what it brings. What the larger network is not granted costs the address nothing: it takes no
    /// place in memory either.
    ///
    /// - Returns: nil when it is granted; else after how many seconds it would be.
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

    /// How many addresses are remembered.
    var count: Int { addresses.count }
}

extension Quota {
    fileprivate static func * (quota: Quota, factor: Int) -> Quota {
        Quota(minute: quota.minute * factor, day: quota.day.map { $0 * factor })
    }
}
