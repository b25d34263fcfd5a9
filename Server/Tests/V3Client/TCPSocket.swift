import Foundation

/// A connected socket; its calls block.
struct TCPSocket: Sendable {
    /// How long a response may take, in milliseconds. The vendor's limit on iOS is 30 s, which a busy machine may need.
    private static let patience: Int32 = 300_000
    private static let pieceBytes = 65_536

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif
    #if canImport(Darwin)
        private static let noSignal: Int32 = 0
    #else
        /// A server that is gone is an error of this call, and not the end of the process.
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    private let descriptor: Int32

    init(host: String, port: UInt16) throws(WireError) {
        let fresh = socket(AF_INET, Self.stream, 0)
        guard fresh >= 0 else { throw Self.fault("no socket") }
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(fresh, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fresh, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let fault = Self.fault("no connection")
            _ = close(fresh)
            throw fault
        }
        descriptor = fresh
    }

    /// Whether the other side has ended the connection, or says what nobody has asked.
    var isEnded: Bool {
        var asked = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&asked, 1, 0) != 0
    }

    func end() {
        _ = close(descriptor)
    }

    func answer(to request: [UInt8]) throws(WireError) -> V3Response {
        try transmit(request)
        var reader = ResponseReader()
        while true {
            if let answer = try reader.take(try receive()) { return answer }
        }
    }

    private func transmit(_ bytes: [UInt8]) throws(WireError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.noSignal) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.fault("the request cannot be sent") }
            rest = rest.dropFirst(count)
        }
    }

    private func receive() throws(WireError) -> [UInt8] {
        while true {
            var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&awaited, 1, Self.patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw ready == 0 ? WireError("no answer in time") : Self.fault("no answer") }
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            let count = recv(descriptor, &piece, Self.pieceBytes, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw count == 0 ? WireError("the server closed the connection") : Self.fault("no answer")
            }
            return Array(piece[..<count])
        }
    }

    private static func fault(_ what: String) -> WireError {
        WireError("\(what): \(String(cString: strerror(errno)))")
    }
}
