import BelfryServices
import Hummingbird
import NIOCore

/// The other end of a connection.
struct Peer: Sendable {
    let channel: any Channel

    /// A peer without an address, as on a Unix socket, is on this machine.
    var address: IPAddress {
        channel.remoteAddress?.ipAddress.flatMap(IPAddress.init) ?? .loopback
    }
}

extension RequestLimits {
    /// Counts an unauthenticated call outside of the device API by its address.
    func admitUnauthenticated(at peer: Peer, _ headers: HTTPFields) throws(ServiceError) {
        try newDeviceQuota(peer: peer.address, forwardedFor: headers[.forwardedFor])?.admitCall()
    }
}

extension APIServices {
    /// The caller of a call that creates its device if there is none yet (SEC-2).
    func arriving(_ context: DeviceRequestContext) -> Caller {
        var caller = context.caller
        caller.newDeviceQuota = limits.newDeviceQuota(of: caller.network)
        caller.linkBudget = limits.linkBudget(of: caller)
        return caller
    }

    /// The meter that counts the bytes and events of a call (SEC-9).
    func meter(of context: DeviceRequestContext) -> UploadMeter {
        limits.meter(of: context.caller)
    }
}
