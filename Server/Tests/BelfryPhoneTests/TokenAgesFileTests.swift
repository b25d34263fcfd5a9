import Belfry
import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import BelfryPhone

@Suite("The ages of tokens on the disk", .timeLimit(.minutes(10)))
struct TokenAgesFileTests {
    private static let noon = PhoneSystemTests.noon

    /// A server that links devices and takes their push tokens, and answers nothing else.
    private struct Links: Transport {
        struct Lost: Error {}

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let path = request.path.prefix { $0 != "?" }
            // Without it the SDK takes a response for somebody else's.
            let headers = [HeaderNames.clientState: "state"]
            if path.hasSuffix("/client") || path.hasSuffix("/client/push-token") {
                return TransportResponse(status: 204, headers: headers)
            }
            guard path.hasSuffix("/client/contact") else { throw Lost() }
            let link = ContactLinkResponse(contactToken: "c", refreshToken: "r", contactReference: "ref")
            return TransportResponse(status: 200, headers: headers, body: try JSONEncoder().encode(link))
        }
    }

    private static func phone(in directory: URL, at date: Date = noon) throws -> Phone {
        Phone(number: 1, world: try .unreachable(directory: directory, transport: Links(), now: date))
    }

    private static func says(_ line: String, of title: String, on phone: Phone) async throws {
        while await !phone.says(of: title).contains(line) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("CON-15: the ages of the tokens go on when the phones' program is started anew, and end with the app")
    func restart() async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = try Self.phone(in: directory)
        for action in [PhoneAction(.open), PhoneAction(.ask), PhoneAction(.answer, on: true)] {
            await first.perform(action)
        }
        try await Self.says("The refresh token is 0 s old.", of: "Identity", on: first)
        try await Self.says("The server has it since 0 s.", of: "Push token", on: first)
        await first.end()

        let second = try Self.phone(in: directory, at: Self.noon.addingTimeInterval(7_200))
        // What the first one did not hear the end of is not sent again meanwhile.
        await second.perform(PhoneAction(.airplane, on: true))
        await second.perform(PhoneAction(.open))
        let identity = await second.says(of: "Identity")
        #expect(identity.first == "The device is linked to an anonymous contact.")
        #expect(identity.contains("The contact token is 2 h old; a 401 renews it (ID-6)."), "\(identity)")
        #expect(identity.contains("The refresh token is 2 h old."), "\(identity)")
        let token = await second.says(of: "Push token")
        #expect(token.contains("APNs gave it 2 h ago.") && token.contains("The server has it since 2 h."), "\(token)")

        await second.perform(PhoneAction(.airplane, on: false))
        await second.perform(PhoneAction(.reinstall))
        await second.perform(PhoneAction(.open))
        try await Self.says("The refresh token is 0 s old.", of: "Identity", on: second)
        #expect(await second.says(of: "Push token").allSatisfy { !$0.contains("2 h") })
        await second.perform(PhoneAction(.wipe))
        let wiped = await second.says(of: "Identity")
        #expect(wiped.allSatisfy { !$0.contains("token is") }, "\(wiped)")
        await second.end()
    }

    @Test(
        "CON-15: a file of ages that is damaged, too long or from the future makes no age up",
        arguments: [
            "", "[]", "{", #"{"contact":"yesterday"}"#, #"{"contact":1e308}"#, #"{"contact":-1e308}"#,
            #"{"contact":900000000}"#, "{\"contact\":1\(String(repeating: " ", count: 2_000))}",
        ]
    )
    func damaged(_ text: String) throws {
        let folder = PhoneWorld.newDirectory
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appending(path: "token-ages.json"))
        let file = TokenAgesFile(folder: folder)
        #expect(file.read(now: Self.noon) == TokenAges())
        let ages = TokenAges(contact: Self.noon.addingTimeInterval(-60), refresh: Self.noon)
        try file.write(ages)
        #expect(file.read(now: Self.noon) == ages)
    }
}
