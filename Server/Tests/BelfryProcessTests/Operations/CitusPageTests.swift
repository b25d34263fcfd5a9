import Foundation
import Testing

@Suite("The page on Citus")
struct CitusPageTests {
    @Test(
        "FLEET-5, FLEET-10: the page has the settings and the words by which the cluster of the tests is set up",
        arguments: [
            "shared_preload_libraries = 'citus'", "wal_level = logical", "max_locks_per_transaction = 512",
            "max_pred_locks_per_transaction = 1024", "CREATE EXTENSION citus", "SELECT citus_set_coordinator_host('",
            "SELECT citus_add_node('",
        ])
    func settings(_ words: String) throws {
        let page = try ProjectFile.text("Docs/Operations/Citus.md")
        let script = try ProjectFile.text("Scripts/with-citus")
        #expect(page.contains(words) && script.contains(words))
    }
}
