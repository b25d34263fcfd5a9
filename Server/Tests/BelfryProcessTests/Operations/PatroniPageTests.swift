import Foundation
import Testing

@Suite("The page on Patroni")
struct PatroniPageTests {
    @Test("FLEET-7, FLEET-10: the page has the settings that failovers are tried with")
    func settings() throws {
        let page = try Self.settings(in: "Docs/Operations/Patroni.md")
        #expect(try page == Self.settings(in: "Scripts/with-patroni"))
        #expect(page.contains("synchronous_mode: true"))
    }

    /// Those of all servers together: up to the rules about who may enter.
    private static func settings(in path: String) throws -> String {
        let text = try ProjectFile.text(path)
        let start = try #require(text.range(of: "\n  dcs:\n"), "\(path)")
        let end = try #require(text.range(of: "\n  pg_hba:\n", range: start.upperBound..<text.endIndex), "\(path)")
        return String(text[start.upperBound..<end.lowerBound])
    }
}
