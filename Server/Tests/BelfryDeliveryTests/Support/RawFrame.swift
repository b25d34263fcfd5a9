/// Frames as bytes (RFC 9113 §4.1, §6), for peers that do what no HTTP/2 library does.
enum RawFrame {
    /// A frame without a setting: what a peer must say first.
    static let settings = frame(type: 4)
    /// More credit for the whole connection.
    static let windowUpdate = frame(type: 8, payload: number(1))

    static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) -> [UInt8] {
        Array(number(UInt32(payload.count)).dropFirst()) + [type, flags] + number(stream) + payload
    }

    /// A push that the peer announces, without a header field.
    static func pushPromise(_ promised: UInt32, on stream: UInt32) -> [UInt8] {
        frame(type: 5, flags: endHeaders, stream: stream, payload: number(promised))
    }

    /// The status 200, alone in the static table of HPACK (RFC 7541, appendix A).
    static func ok(on stream: UInt32, isWhole: Bool = true) -> [UInt8] {
        frame(type: 1, flags: isWhole ? endHeaders | endStream : endHeaders, stream: stream, payload: [0x88])
    }

    static func data(_ count: Int, on stream: UInt32, isLast: Bool = false) -> [UInt8] {
        let payload = [UInt8](repeating: 0, count: count)
        return frame(type: 0, flags: isLast ? endStream : 0, stream: stream, payload: payload)
    }

    static func reset(_ stream: UInt32) -> [UInt8] {
        frame(type: 3, stream: stream, payload: number(8))
    }

    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4

    private static func number(_ value: UInt32) -> [UInt8] {
        let shifts: [UInt32] = [24, 16, 8, 0]
        return shifts.map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
