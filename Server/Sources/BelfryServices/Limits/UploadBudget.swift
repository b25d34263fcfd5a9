import Foundation

/// The budget that a call's content counts against (SEC-9).
enum UploadPayer: Hashable, Sendable {
    /// The calling installation.
    case device(CallPayer)
    /// The address of calls that only show an id, so that knowing an id does not use up its owner's budget.
    case unauthenticated(IPAddress)
    /// The address, for everything that comes from it: no address alone can use up an app's budget.
    case address(IPAddress)
    case app(Int64)
}

/// The remaining bytes, or events, of everyone who pays for them.
struct UploadBudget: Sendable {
    enum Things: String, Hashable, Sendable {
        case bytes
        case events
    }

    struct Excess: Hashable, Sendable {
        /// The name of the limit, such as `deviceBytes`.
        let limit: String
        let rule: String
        /// Seconds until the upload would be granted.
        let wait: Int
    }

    private let things: Things
    private let devices: RateLimiter<CallPayer>
    private let unauthenticated: AddressRateLimiter?
    private let addresses: AddressRateLimiter?
    private let apps: RateLimiter<Int64>?

    /// Without a quota nothing is counted.
    init(_ things: Things, device: Quota, unauthenticated: Quota?, address: Quota?, app: Quota?) {
        self.things = things
        devices = RateLimiter(device, maximumCount: RequestRates.maximumDevices)
        self.unauthenticated = unauthenticated.map {
            AddressRateLimiter($0, maximumCount: RequestRates.maximumAddresses)
        }
        addresses = address.map { AddressRateLimiter($0, maximumCount: RequestRates.maximumAddresses) }
        apps = app.map { RateLimiter($0, maximumCount: RequestRates.maximumApps) }
    }

    /// Divides the budgets of apps, and the addresses' shares of them, by this number from now on.
    func divideApps(by parts: Int) {
        addresses?.divide(by: parts)
        apps?.divide(by: parts)
    }

    /// Takes the weight from all payers, or from none if one of them has too little.
    func take(_ weight: Int, from payers: [UploadPayer], now: Date) -> Excess? {
        guard weight > 0 else { return nil }
        for (index, payer) in payers.enumerated() {
            guard let excess = take(weight, from: payer, now: now) else { continue }
            putBack(weight, to: payers[..<index])
            return excess
        }
        return nil
    }

    /// Undoes a grant.
    func putBack(_ weight: Int, to payers: some Sequence<UploadPayer>) {
        guard weight > 0 else { return }
        for payer in payers {
            switch payer {
            case .device(let device): devices.putBack(device, weight)
            case .unauthenticated(let network): unauthenticated?.putBack(network, weight)
            case .address(let network): addresses?.putBack(network, weight)
            case .app(let app): apps?.putBack(app, weight)
            }
        }
    }

    private func take(_ weight: Int, from payer: UploadPayer, now: Date) -> Excess? {
        switch payer {
        case .device(let device):
            return devices.take(device, weight, now: now).map {
                excess("device", "A device may send", devices.quota, wait: $0)
            }
        case .unauthenticated(let network):
            guard let unauthenticated, let wait = unauthenticated.take(network, weight, now: now) else { return nil }
            let subject = "Unauthenticated requests from an address may send"
            return excess("stranger", subject, unauthenticated.quota, wait: wait)
        case .address(let network):
            guard let addresses, let wait = addresses.take(network, weight, now: now) else { return nil }
            return excess("address", "An address may send", addresses.quota, addresses.division, wait: wait)
        case .app(let app):
            guard let apps, let wait = apps.take(app, weight, now: now) else { return nil }
            return excess("app", "All devices of an app together may send", apps.quota, apps.division, wait: wait)
        }
    }

    private func excess(
        _ who: String, _ subject: String, _ quota: Quota, _ division: String = "", wait: Int
    ) -> Excess {
        let most = "at most \(quota.words(things.rawValue)).\(division)"
        return switch things {
        case .bytes: Excess(limit: who + "Bytes", rule: "\(subject) bodies of \(most)", wait: wait)
        case .events: Excess(limit: who + "Events", rule: "\(subject) \(most)", wait: wait)
        }
    }
}

extension Quota {
    /// `8388608 bytes a minute and 67108864 a day`
    func words(_ things: String) -> String {
        "\(minute.amount) \(things) a minute" + (day.map { " and \($0.amount) a day" } ?? "")
    }
}
