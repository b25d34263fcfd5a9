import BelfryServices
import Hummingbird
import NIOCore

/// The other end of a connection.
struct Peer: Sendable {
    let channel: any Channel

    /// Whoever has no address, as on a socket of the file system, is on this machine.
    var address: IPAddress {
        channel.remoteAddress?.ipAddress.flatMap(IPAddress.init) ?? .loopback
    }
}

extension APIServices {
    /// The caller of a call that makes its device when there is none yet (SEC-2).
    func arriving(_ context: DeviceRequestContext) -> Caller {
        var caller = context.caller
        caller.newcomer = limits.newcomer(of: caller.network)
        caller.linkBudget = limits.linkBudget(of: caller)
        return caller
    }

    /// Counts what a call brings (SEC-9).
    func meter(of context: DeviceRequestContext) -> UploadMeter {
        limits.meter(of: context.caller)
    }
}
