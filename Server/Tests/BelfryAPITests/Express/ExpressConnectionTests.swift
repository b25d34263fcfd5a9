import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

/// Many requests on one connection: in whatever pieces they arrive, each gets one response, in order.
@Suite("Connections of the express lane")
struct ExpressConnectionTests {
    /// Twins with one ordinary device, and what it sends.
    private static func run(_ test: @escaping @Sendable (Twins, TestDevice) async throws -> Void) async throws {
        try await Twins.run { twins in
            let cast = try await twins.both { try await UploadCast(on: $0) }
            try #require(cast.lane == cast.plain)
            var device = TestDevice(twins.lane)
            device.id = cast.lane.guest.id
            device.contactToken = cast.lane.guest.token
            try await test(twins, device)
        }
    }

    private static func upload(_ id: String, _ device: TestDevice, _ others: String = "") -> WireRequest {
        let body = #"{"events":[\#(EventTests.event(id))]\#(others)}"#
        return WireRequest("/client/events", body, by: device, order: device.server.clock.now.milliseconds)
    }

    private static func registration(_ revision: Int, _ device: TestDevice) -> WireRequest {
        let id = "0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C\(10 + revision)"
        let body = device.snapshot(revision: revision, registrationID: id)
        return WireRequest("/client/registration", body, by: device, order: device.server.clock.now.milliseconds)
    }

    /// Requests of both ways, one behind the other.
    private static func mixture(_ device: TestDevice, _ dice: inout SeededGenerator) -> [WireRequest] {
        (0..<30).map { number in
            switch Int.random(in: 0..<9, using: &dice) {
            case 0: return .health
            case 1: return upload("e\(number)", device, #","clicks":[{"campaignId":"1"}]"#)
            case 2: return registration(number, device)
            case 3: return upload("", device)
            case 4: return WireRequest("/client/events", "no JSON", by: device, order: 0)
            case 5:
                var packed = upload("e\(number)", device)
                packed.chunks = [Int.random(in: 1...90, using: &dice)]
                return packed
            default: return upload("e\(number)", device)
            }
        }
    }

    @Test(
        "WIRE-6: pipelined requests get responses in order, whichever way each takes, in any pieces",
        .timeLimit(.minutes(15)), arguments: Endurance.seeds(6, brief: 3)
    )
    func pipelined(seed: UInt64) async throws {
        try await Self.run { twins, device in
            var dice = SeededGenerator(seed: seed)
            // The first one has nothing before it: the lane takes it.
            let requests = [Self.upload("first", device)] + Self.mixture(device, &dice)
            let pieces = Self.pieces(of: requests.flatMap(\.bytes), &dice)
            let connections = try await TwinConnections.open(to: twins)
            let answers = try await connections.both { connection in
                for piece in pieces { try await connection.send(piece) }
                var answers: [WireResponse] = []
                for _ in requests {
                    guard let response = await connection.next() else { break }
                    answers.append(response)
                }
                return answers
            }
            #expect(answers.plain.count == requests.count)
            #expect(answers.lane.map(\.timeless) == answers.plain.map(\.timeless), "seed \(seed)")
            #expect(answers.lane.contains { $0.isExpress(of: twins.lane) })
            #expect(!answers.lane.allSatisfy { $0.isExpress(of: twins.lane) })
            try await twins.expectSameContents("seed \(seed)")
            await connections.close()
        }
    }

    /// The bytes in pieces: all in one, or in some of any size.
    private static func pieces(of bytes: [UInt8], _ dice: inout SeededGenerator) -> [[UInt8]] {
        guard Bool.random(using: &dice) else { return [bytes] }
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...900, using: &dice))
            rest = rest.dropFirst(piece.count)
            pieces.append(Array(piece))
        }
        return pieces
    }

    @Test(
        "WIRE-6, SEC-12: any number of pipelined requests get their responses in order before the end",
        .timeLimit(.minutes(15))
    )
    func farAhead() async throws {
        try await Self.run { twins, device in
            let requests = (0..<150).map { $0 % 7 == 3 ? WireRequest.health : Self.upload("e\($0)", device) }
            let connections = try await TwinConnections.open(to: twins)
            let answers = try await connections.both { connection in
                try await connection.send(requests.flatMap(\.bytes))
                try await connection.endSending()
                var answers: [String] = []
                while let response = await connection.next() { answers.append(response.timeless) }
                return answers
            }
            #expect(answers.lane == answers.plain)
            #expect(answers.lane.map { $0.prefix(3) } == requests.map { $0.path == "/healthz" ? "200" : "204" })
            try await twins.expectSameContents("far ahead")
            await connections.close()
        }
    }

    @Test("WIRE-6: a request that arrives byte by byte is one request", .timeLimit(.minutes(15)))
    func trickle() async throws {
        try await Self.run { twins, device in
            let bytes = Self.upload("e1", device).bytes + Self.registration(1, device).bytes
            let connections = try await TwinConnections.open(to: twins)
            let answers = try await connections.both { connection in
                for byte in bytes { try await connection.send([byte]) }
                return [await connection.next()?.timeless, await connection.next()?.timeless]
            }
            #expect(answers.lane == answers.plain && answers.lane.first??.hasPrefix("204") == true)
            try await twins.expectSameContents("byte by byte")
            await connections.close()
        }
    }

    /// Bytes of a body, what is answered, and whether by the lane.
    private static let lengths = [
        (ExpressLane.maximumBodyBytes, 204, true), (ExpressLane.maximumBodyBytes + 1, 204, false),
        (WireLimits.maximumBodyBytes, 204, false), (WireLimits.maximumBodyBytes + 1, 413, false),
    ]

    @Test(
        "WIRE-23: a body of 1 MiB is accepted, one byte more is a 413; an announced one ends the connection",
        .timeLimit(.minutes(15)), arguments: [nil, [65_536], [WireLimits.maximumBodyBytes, 1]] as [[Int]?]
    )
    func limit(chunks: [Int]?) async throws {
        try await Self.run { twins, device in
            let connections = try await TwinConnections.open(to: twins)
            for (length, status, isExpress) in Self.lengths {
                var request = Self.upload("e\(length)", device)
                request.body += Array(repeating: 0x20, count: length - request.body.count)
                request.chunks = chunks
                let sent = request
                let answers = try await connections.both { connection in
                    // The server may end its side before all of a refused body is sent.
                    try? await connection.send(sent.bytes)
                    return await connection.next()
                }
                #expect(answers.lane?.status == status && answers.lane?.timeless == answers.plain?.timeless)
                #expect(answers.lane?.isExpress(of: twins.lane) == isExpress, "\(length)")
            }
            let next = Self.upload("e2", device)
            let answers = try await connections.both { try? await $0.answer(to: next)?.status }
            #expect(answers.lane == answers.plain)
            #expect(answers.lane == (chunks == nil ? nil : 204))
            try await twins.expectSameContents("lengths of bodies")
            await connections.close()
        }
    }

    @Test(
        "WIRE-6, WIRE-23: a client that closes its side, or continues with non-HTTP, gets its responses first",
        .timeLimit(.minutes(15)),
        arguments: ["", "BROKEN\r\n\r\n", "POST /v3/apps/shop/client/events HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
    )
    func lastWords(garbage: String) async throws {
        try await Self.run { twins, device in
            for requests in [["e1"], ["e2", "e3", "e4"]] {
                let bytes = requests.flatMap { Self.upload($0, device).bytes } + Array(garbage.utf8)
                let connections = try await TwinConnections.open(to: twins)
                let answers = try await connections.both { connection in
                    try await connection.send(bytes)
                    if garbage.isEmpty { try await connection.endSending() }
                    var answers: [String] = []
                    while let response = await connection.next() { answers.append(response.timeless) }
                    return answers
                }
                #expect(answers.lane == answers.plain)
                let expected = requests.map { _ in "204" } + (garbage.isEmpty ? [] : ["400"])
                #expect(answers.lane.map { String($0.prefix(3)) } == expected)
            }
            try await twins.expectSameContents("last words")
        }
    }

    @Test(
        "WIRE-23, SEC-2: a body that breaks off gets the same response as in the router, and stores nothing",
        .timeLimit(.minutes(15)), arguments: ["nonsense\r\n\r\n", ""]
    )
    func brokenOff(rest: String) async throws {
        try await Self.run { twins, device in
            var request = Self.upload("e1", device)
            request.chunks = [40]
            let whole = request.bytes
            let head = try #require(whole.firstRange(of: Array("\r\n\r\n".utf8)))
            // The first chunk with its length, and the line that ends it.
            let bytes = Array(whole[..<(head.upperBound + 4 + 40 + 2)]) + Array(rest.utf8)
            let connections = try await TwinConnections.open(to: twins)
            let answers = try await connections.both { connection in
                try await connection.send(bytes)
                if rest.isEmpty { try await connection.endSending() }
                return [await connection.next()?.timeless, await connection.next()?.timeless]
            }
            #expect(answers.lane == answers.plain)
            #expect(answers.lane.first??.hasPrefix("400") == true && answers.lane.last == .some(nil))
            try await twins.expectSameContents("broken off")
        }
    }

    @Test("WIRE-6, EVT-3: clients that do not wait for their responses affect nobody else", .timeLimit(.minutes(15)))
    func gone() async throws {
        try await Self.run { twins, device in
            let server = twins.lane
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let connection = try await WireConnection.open(to: server)
                        try await connection.send(Self.upload("e\(number % 20)", device).bytes)
                        await connection.close()
                    }
                }
                try await group.waitForAll()
            }
            let connection = try await WireConnection.open(to: server)
            for number in 0..<20 {
                #expect(try await connection.answer(to: Self.upload("e\(number)", device))?.status == 204)
            }
            await connection.close()
            #expect(try await device.events().count == 20)
        }
    }
}
