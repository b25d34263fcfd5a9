#if os(Linux)
    import BelfryAPI
    import BelfryModel
    import Foundation
    import Testing

    @Suite("Twenty phones", .timeLimit(.minutes(15)))
    struct TwentyPhonesTests {
        /// Bytes of memory that the program may have at most for each phone beside the first, in a build for debugging.
        private static let mostForAPhone = 4 << 20

        @Test(
            """
            CON-14: twenty phones run at once, each with a device of its own, in bounded memory, however often their pages are \
            closed in the middle; a twenty-first is refused
            """
        )
        func twenty() async throws {
            try await withStage { stage in
                try await stage.withPhoneShop { admin, phones in
                    let first = try await phones.phone().begin(admin)
                    let before = try memory(of: phones)
                    var devices: Set<String> = [first]
                    for number in 2...20 { devices.insert(try await phones.phone(number).begin(admin)) }
                    #expect(devices.count == 20)
                    for number in 1...20 { try await phones.phone(number).press("lock") }
                    let sent = try await admin.push("To all")
                    #expect(sent.counts.accepted == 20)
                    for number in 1...20 {
                        try await phones.phone(number).sees("the push has come") { $0.titles == ["To all"] }
                    }
                    // What is kept of a phone's past is bounded, however much happens on it.
                    let busy = phones.phone(20)
                    try await busy.press("open")
                    for number in 0..<400 { try await busy.press("attribute", name: "city", value: "City \(number)") }
                    #expect(try await busy.look().lines.count == 150)
                    // Each look is a page that is closed in the middle of its stream: there are more of them than may
                    // watch a phone at the same time.
                    for _ in 0..<24 {
                        for number in 1...20 { #expect(try await phones.phone(number).look().titles == ["To all"]) }
                    }
                    let after = try memory(of: phones)
                    #expect((after - before) / 19 < Self.mostForAPhone, "\(before >> 20) MiB became \(after >> 20) MiB")
                    #expect(try await stage.http.answer(.GET, "\(phones.address)/21").status == 404)
                }
            }
        }

        /// Bytes that are in memory.
        private func memory(of phones: PhoneProgram) throws -> Int {
            let status = try String(contentsOfFile: phones.run.inProc("status"), encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            let words = line.split(whereSeparator: \.isWhitespace)
            return try #require(words.count > 1 ? Int(words[1]) : nil) * 1_024
        }
    }
#endif
