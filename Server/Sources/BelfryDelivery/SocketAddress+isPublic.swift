import BelfryPush
import NIOCore

extension SocketAddress {
    /// Whether it is on the public internet (``PublicAddress``); a file of this machine is not.
    var isPublic: Bool {
        switch self {
        case .v4(let address):
            PublicAddress.contains(withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address):
            PublicAddress.contains(withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket:
            false
        }
    }
}
