import Foundation
import Testing

@testable import BelfryPhone

/// Pages whose connection ends while the phone tells them something (CON-14), by real sockets.
@Suite("Pages that are closed in the middle", .timeLimit(.minutes(10)))
struct ClosedPageTests {
    private static func isWhole(_ text: String) -> Bool {
        text.contains("event: inspector\n") && text.hasSuffix("\n\n\r\n")
    }

    private static func untilNobodyWatches(_ phone: Phone) async {
        while !phone.viewers.isEmpty { await Task.yield() }
    }

    /// The texts of the lines in a stream, in the order in which they came.
    private static func lines(_ stream: String) throws -> [String] {
        struct Line: Decodable { let text: String }
        return try stream.components(separatedBy: "event: lines\ndata: ").dropFirst().flatMap { event -> [String] in
            let json = event.prefix { $0 != "\n" }
            return try JSONDecoder().decode([Line].self, from: Data(json.utf8)).map(\.text).reversed()
        }
    }

    @Test(
        "CON-14: however a page goes, and wherever in its stream, the phone lets go of it at once",
        arguments: PhoneSocket.Close.allCases
    )
    func goes(_ close: PhoneSocket.Close) async throws {
        let sleepers = PhoneWorld.Sleepers()
        try await PhoneSocket.serve(.unreachable(sleepers: sleepers)) { phones in
            let phone = try await phones.phone(1)
            for number in 0..<40 { phone.notes.note(.system, "\(number) \(String(repeating: "x", count: 2_000))") }
            // More than may watch at the same time: none of the former may be left.
            for number in 0..<(3 * Viewers.maximum) {
                let text = try await phones.watch(1, closing: close) { text in
                    // At the first bytes, or once everything has come and nothing more will.
                    number.isMultiple(of: 2) || Self.isWhole(text)
                }
                #expect(text.hasPrefix("HTTP/1.1 200 "), "page \(number): \(text.prefix(200))")
                await Self.untilNobodyWatches(phone)
            }
            // Nor does anything wait for them any more.
            while sleepers.count > 0 { await Task.yield() }
        }
    }

    @Test("CON-14: what happens while the page is closed is there when it is opened again; other pages miss nothing")
    func again() async throws {
        try await PhoneSocket.serve(.unreachable()) { phones in
            let phone = try await phones.phone(2)
            let all = (0..<60).map { "Line \($0)" }
            let other = try await phones.watch(2, until: Self.isWhole) {
                for text in all.prefix(20) { phone.notes.note(.system, text) }
            }
            #expect(try Self.lines(other).isEmpty)
            // One page stays while others come and go in the middle of what is told.
            async let stays = phones.watch(2) { $0.contains(all[59]) && $0.hasSuffix("\n\n\r\n") }
            for part in stride(from: 20, to: 60, by: 5) {
                try await phones.watch(2, closing: .reset) { !$0.isEmpty }
                for text in all[part..<(part + 5)] { phone.notes.note(.system, text) }
            }
            #expect(try Self.lines(await stays) == all)
            await phone.perform(PhoneAction(.airplane, on: true))
            let reopened = try await phones.watch(2, until: Self.isWhole)
            #expect(try Self.lines(reopened) == all + ["The phone is in airplane mode."])
            #expect(reopened.contains(#""isOnline":false"#))
        }
    }

    @Test(
        "CON-14: twenty phones at once, whose pages are closed in the middle: each lets go of all, and takes as many anew"
    )
    func twenty() async throws {
        let sleepers = PhoneWorld.Sleepers()
        try await PhoneSocket.serve(.unreachable(sleepers: sleepers)) { phones in
            for round in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { pages in
                    for number in 1...PhoneRack.maximumPhones {
                        for page in 0..<(Viewers.maximum / 2) {
                            let close = PhoneSocket.Close.allCases[(number + page + round) % 3]
                            pages.addTask {
                                let text = try await phones.watch(number, closing: close) { !$0.isEmpty }
                                #expect(text.hasPrefix("HTTP/1.1 200 "), "phone \(number): \(text.prefix(200))")
                            }
                        }
                    }
                    try await pages.waitForAll()
                }
                for number in 1...PhoneRack.maximumPhones {
                    await Self.untilNobodyWatches(try await phones.phone(number))
                }
            }
            while sleepers.count > 0 { await Task.yield() }
            for number in 1...PhoneRack.maximumPhones {
                let phone = try await phones.phone(number)
                let viewers = (0..<Viewers.maximum).map { _ in phone.viewers.watch() }
                #expect(viewers.allSatisfy { $0 != nil })
            }
        }
    }

    @Test(
        "CON-14: a page that reads nothing holds up neither the phone nor its other pages, and is let go of when it goes"
    )
    func readsNothing() async throws {
        try await PhoneSocket.serve(.unreachable()) { phones in
            let phone = try await phones.phone(3)
            // More than the system keeps for a connection.
            for number in 0..<100 { phone.notes.note(.system, "\(number) \(String(repeating: "x", count: 200_000))") }
            try await phones.watchWithoutReading(3) {
                while phone.viewers.isEmpty { await Task.yield() }
                for number in 0..<2_000 { phone.notes.note(.system, "More \(number)") }
                let text = try await phones.watch(3, until: Self.isWhole)
                #expect(try Self.lines(text).last == "More 1999")
            }
            await Self.untilNobodyWatches(phone)
        }
    }

    @Test("CON-14: the phones' program ends although pages are open")
    func ends() async throws {
        let (opened, isOpen) = AsyncStream.makeStream(of: Void.self)
        var page: Task<String, any Error>?
        try await PhoneSocket.serve(.unreachable()) { phones in
            // It waits for something that never comes, until its response ends.
            page = Task {
                try await phones.watch(1) { text in
                    if Self.isWhole(text) { isOpen.yield() }
                    return false
                }
            }
            for await _ in opened { break }
        }
        let text = try await page?.value
        #expect(text?.hasSuffix("0\r\n\r\n") == true)
    }
}
