import Foundation
import Synchronization

/// The address that a possibly new device comes from.
package struct NewDeviceQuota: Sendable {
    let network: IPAddress
    private let limits: RequestLimits
    private let device = CountedOnce()

    init(network: IPAddress, limits: RequestLimits) {
        self.network = network
        self.limits = limits
    }

    /// Called before the device is created. A call creates one device and counts once, however often this is called: the
    /// write that calls it may run twice.
    package func admit() throws(ServiceError) {
        try device.once { () throws(ServiceError) in try limits.admitNewDevice(from: network) }
    }

    /// Called for a call that proves nothing about its device.
    package func admitCall() throws(ServiceError) {
        try limits.admitUnauthenticated(from: network)
    }

    /// Called before an OpenID token is checked: verifying signatures is the most expensive thing that anybody can
    /// cause.
    package func admitProof() throws(ServiceError) {
        try limits.admitProof(from: network)
    }

    /// The token has proven a contact, so it does not count.
    package func takeBackProof() {
        limits.takeBackProof(from: network)
    }
}

/// The result of counting a call: a write that runs twice asks twice, but counts once.
final class CountedOnce: Sendable {
    private let outcome = Mutex<Result<Void, ServiceError>?>(nil)

    func once(_ count: () throws(ServiceError) -> Void) throws(ServiceError) {
        let first = outcome.withLock { outcome -> Result<Void, ServiceError> in
            if let outcome { return outcome }
            let result = Result(catching: count)
            outcome = result
            return result
        }
        try first.get()
    }
}

extension RequestLimits {
    /// Counts a device that is created.
    fileprivate func admitNewDevice(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.addresses.take(network, now: now()) else { return }
        let rule = "An address may create at most \(counting.rates.newDevices.words("new devices"))."
        throw limitError("newDevices", rule, wait)
    }

    /// Counts an unauthenticated call.
    fileprivate func admitUnauthenticated(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.unauthenticated.take(network, now: now()) else { return }
        throw limitError(
            "strangers",
            "An address may send at most \(counting.rates.unauthenticated.amount) unauthenticated requests a minute.",
            wait
        )
    }

    /// Counts an OpenID token before it is checked.
    fileprivate func admitProof(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.proofs.take(network, now: now()) else { return }
        throw limitError(
            "openIDTokens",
            "An address may send at most \(counting.rates.uselessProofs.amount) invalid OpenID tokens a minute.",
            wait
        )
    }

    fileprivate func takeBackProof(from network: IPAddress) {
        counting?.proofs.putBack(network)
    }
}
