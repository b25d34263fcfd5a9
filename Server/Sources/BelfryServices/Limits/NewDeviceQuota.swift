import Foundation
import Synchronization

/// Where a device comes from that may be a new one.
package struct NewDeviceQuota: Sendable {
    let network: IPAddress
    private let limits: RequestLimits
    private let device = CountedOnce()

    init(network: IPAddress, limits: RequestLimits) {
        self.network = network
        self.limits = limits
    }

    /// Asked before the device is made. A call makes one device and is counted once, however often it is asked: the write
    /// in which it is asked may run twice.
    package func admit() throws(ServiceError) {
        try device.once { () throws(ServiceError) in try limits.admitNewDevice(from: network) }
    }

    /// Asked for a call that shows nothing of its device.
    package func admitCall() throws(ServiceError) {
        try limits.admitUnauthenticated(from: network)
    }

    /// Asked before an OpenID token is looked at: to check signatures is the dearest thing that anybody can ask for.
    package func admitProof() throws(ServiceError) {
        try limits.admitProof(from: network)
    }

    /// The token has proven a contact: it counts for nothing.
    package func takeBackProof() {
        limits.takeBackProof(from: network)
    }
}

/// What a call was told when it was counted: a write that runs twice asks twice, and is counted once.
final class CountedOnce: Sendable {
    private let outcome = Mutex<Result<Void, ServiceError>?>(nil)

    func once(_ count: () throws(ServiceError) -> Void) throws(ServiceError) {
        let first = outcome.withLock { outcome -> Result<Void, ServiceError> in
            if let outcome { return outcome }
            let told = Result(catching: count)
            outcome = told
            return told
        }
        try first.get()
    }
}

extension RequestLimits {
    /// Counts a device that is made.
    fileprivate func admitNewDevice(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.addresses.take(network, now: now()) else { return }
        let rule = "An address may create at most \(counting.rates.newDevices.words("new devices"))."
        throw limitError("newDevices", rule, wait)
    }

    /// Counts a call of somebody who shows nothing of a device.
    fileprivate func admitUnauthenticated(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.unauthenticated.take(network, now: now()) else { return }
        throw limitError(
            "strangers",
            "An address may send at most \(counting.rates.unauthenticated.amount) unauthenticated requests a minute.",
            wait
        )
    }

    /// Counts a proof before it is looked at.
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
