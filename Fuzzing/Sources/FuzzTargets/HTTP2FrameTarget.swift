import Foundation
import NIOCore

@testable import BelfryDelivery
@testable import BelfryPush

/// HTTP/2 frames of a push service: with any frames, each request ends exactly once, and nothing that the peer sends
/// grows without limit.
enum HTTP2FrameTarget {
    /// An empty SETTINGS frame, the first frame of a peer.
    private static let preface: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    private static let requests = 6

    static func run(_ bytes: [UInt8]) throws {
        guard let session = HTTP2Session(authority: "api.push.example", streamLimit: 4) else { return }
        var input = FuzzInput(bytes)
        let split = input.choice(64)
        let frames = input.bytes()
        guard receive(preface[...], session) else { throw Finding("a peer may say that it has no settings") }
        let batch = makeBatch()
        var submitted = 0
        for index in 0..<requests where session.state.room > 0 {
            guard session.submit(batch, index: index, deadline: .uptimeNanoseconds(UInt64(index + 1))) else { break }
            submitted += 1
        }
        var sent = ByteBuffer()
        _ = session.pull(into: &sent, limit: 1 << 20)

        var ended: [EndedRequest] = []
        if receive(frames.prefix(split), session), receive(frames.dropFirst(split), session) {
            _ = session.pull(into: &sent, limit: 1 << 20)
        }
        take(session, &ended)
        session.expire(at: .uptimeNanoseconds(2))
        session.sayGoodbyeIfDone()
        take(session, &ended)
        session.abandon(.connectionLost)
        take(session, &ended)
        try check(ended, submitted: submitted)
        try expect(session.inFlight == 0, "nothing is in flight on a connection that is gone")
    }

    private static func receive(_ bytes: ArraySlice<UInt8>, _ session: HTTP2Session) -> Bool {
        bytes.isEmpty || bytes.withUnsafeBytes { session.receive($0) } == nil
    }

    private static func take(_ session: HTTP2Session, _ ended: inout [EndedRequest]) {
        var some: [EndedRequest] = []
        session.takeEnded(into: &some)
        ended += some
    }

    private static func check(_ ended: [EndedRequest], submitted: Int) throws {
        let indices = ended.map(\.index).sorted()
        try expect(indices == Array(0..<submitted), "each request ends once: \(indices) of \(submitted)")
        for case .answered(let response) in ended.map(\.result) {
            try expect((100...999).contains(response.status), "a status has three digits: \(response.status)")
            try expect(response.body.count <= StreamSlot.maximumBody, "a body has a bound")
            try expect(response.fields.count <= 1, "only what is asked for is kept")
        }
    }

    private static func makeBatch() -> PushBatch {
        let common = CommonHeaders([HeaderField("apns-topic", "com.example.app")])
        let requests = (0..<requests).map { index in
            PushRequest(
                path: "/3/device/\(index)", common: common, fields: [HeaderField("apns-id", "\(index)")],
                body: index == 0 ? [] : [UInt8](repeating: 0x7B, count: index * 100)
            )
        }
        return PushBatch(requests: requests, deadline: nil) { _, _ in }
    }
}
