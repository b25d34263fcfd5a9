import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("Errors in the log")
struct LoggedErrorTests {
    private struct Person: Decodable {
        var city: Int
        var provider: PushProvider
    }

    @Test(
        "SEC-3: of undecodable data the place is logged, and not the value",
        arguments: [
            (#"{"city":"Springfield","provider":"apns"}"#, "city"),
            (#"{"city":1,"provider":"anna@example.com"}"#, "provider"), (#"{"provider":"apns"}"#, "city"),
            (#"{"city":null,"provider":"apns"}"#, "city"), (#"{"city":12 Elm Street}"#, "whole"),
        ]
    )
    func decoding(json: String, place: String) throws {
        let error = try #require(throws: (any Error).self) {
            try JSONDecoder().decode(Person.self, from: Data(json.utf8))
        }
        let text = "\(LoggedError(error))"
        #expect(text.contains(place), "\(text)")
        for value in ["Springfield", "anna", "example", "Elm"] { #expect(!text.contains(value), "\(text)") }
    }

    @Test("SEC-3: an error of the database has the statement, and none of its arguments")
    func database() async throws {
        let world = try await ServiceWorld()
        let error = await #expect(throws: (any Error).self) {
            try await world.database.write {
                try $0.execute("INSERT INTO nowhere (contact_key) VALUES (?)", [.text("anna@example.com")])
            }
        }
        let thrown = try #require(error)
        let text = "\(LoggedError(thrown))"
        #expect(text.contains("nowhere"))
        #expect(!text.contains("anna"))
    }

    @Test("SEC-3: other errors are logged as they are")
    func others() {
        #expect("\(LoggedError(StoreError.duplicate(key: "shop")))" == "There is already an entry for 'shop'.")
    }
}
