import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

struct ConfigurationFileTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-configuration")

    /// Sets every field to what is not its default.
    private let complete = """
        {"name": "all", "appCode": "shop", "serverURL": "https://push.example.com/belfry", "sessionTimeout": 60.5,
         "contactField": " email ",
         "editCollection": 5, "delayRegistrationUntilContactKeyIsSet": true,
         "uploads": {"flushCount": 20, "flushBytes": 30000, "flushAge": 40, "batchCount": 50, "batchBytes": 600000,
                     "backoff": {"first": 3, "maximum": 600, "jitter": 0.25}},
         "queueLimits": {"count": 1000, "bytes": 200000, "age": 86400},
         "messageCenter": {"interval": 600, "retention": 604800}, "badges": false,
         "inApp": {"minimumGap": 60, "maximumPerSession": 3, "maximumPerDay": 5, "linkSchemes": ["https", "shop"],
                   "allowsScripts": true}}
        """

    private func read(_ json: String, named name: String? = nil) throws(BelfryError) -> BelfryConfiguration {
        try BelfryConfiguration(json: Data(json.utf8), named: name, directory: directory)
    }

    /// The error with which the file is refused.
    private func fault(_ json: String, named name: String? = nil) throws -> BelfryError {
        do throws(BelfryError) {
            _ = try read(json, named: name)
        } catch {
            #expect(error.code == .invalidConfiguration)
            return error
        }
        throw Accepted(json: json)
    }

    private struct Accepted: Error {
        let json: String
    }

    /// A file with the two needed fields, and some more.
    private func file(_ more: String) -> String {
        #"{"appCode":"shop","serverURL":"https://example.com"\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    @Test("REG-13: every field can be set in a file; absent ones have their defaults")
    func everyField() throws {
        let address = try #require(URL(string: "https://push.example.com/belfry"))
        var expected = try BelfryConfiguration(appCode: "shop", serverURL: address, directory: directory)
        expected.contactField = " email "
        expected.sessionTimeout = 60.5
        expected.editCollection = 5
        expected.delayRegistrationUntilContactKeyIsSet = true
        expected.uploads = UploadPolicy(
            flushCount: 20, flushBytes: 30_000, flushAge: 40, batchCount: 50, batchBytes: 600_000,
            backoff: Backoff.Policy(first: 3, maximum: 600, jitter: 0.25)
        )
        expected.queueLimits = QueueLimits(count: 1_000, bytes: 200_000, age: 86_400)
        expected.messageCenterInterval = 600
        expected.messageCenterRetention = 604_800
        expected.badgesEnabled = false
        expected.inApp.minimumGap = 60
        expected.inApp.maximumPerSession = 3
        expected.inApp.maximumPerDay = 5
        expected.inApp.linkSchemes = ["https", "shop"]
        expected.inApp.allowsScripts = true
        #expect(try read(complete) == expected)
        let plain = try #require(URL(string: "https://example.com"))
        #expect(
            try read(file("")) == BelfryConfiguration(appCode: "shop", serverURL: plain, directory: directory)
        )
        try read(complete).validate()
    }

    @Test("REG-13: keys are case-insensitive, even in the vendor's spelling", arguments: UInt64(1)...20)
    func anyCase(seed: UInt64) throws {
        let chance = Chance(seed: seed)
        let keys =
            ConfigurationKey.allCases.map(\.rawValue) + UploadKey.allCases.map(\.rawValue)
            + BackoffKey.allCases.map(\.rawValue) + QueueKey.allCases.map(\.rawValue)
            + MessageCenterKey.allCases.map(\.rawValue) + InAppKey.allCases.map(\.rawValue)
        var text = complete
        for key in keys {
            let spelling = String(key.map { chance.unit() < 0.5 ? Character($0.uppercased()) : $0 })
            text = text.replacing("\"\(key)\":", with: "\"\(spelling)\":")
        }
        #expect(try read(text) == read(complete), "\(text)")
        #expect(try read(file(#""delayregistrationuntilcontactkeyisset":true"#)).delayRegistrationUntilContactKeyIsSet)
    }

    @Test(
        "REG-13: a mistyped key is an error that names the nearest one, wherever it is", arguments: UInt64(1)...20)
    func mistyped(seed: UInt64) throws {
        let chance = Chance(seed: seed)
        let places: [(path: String, keys: [String])] = [
            ("", ConfigurationKey.allCases.map(\.rawValue)), ("uploads.", UploadKey.allCases.map(\.rawValue)),
            ("uploads.backoff.", BackoffKey.allCases.map(\.rawValue)),
            ("queueLimits.", QueueKey.allCases.map(\.rawValue)),
            ("messageCenter.", MessageCenterKey.allCases.map(\.rawValue)),
            ("inApp.", InAppKey.allCases.map(\.rawValue)),
        ]
        for (path, keys) in places {
            for key in keys {
                var letters = Array(key)
                letters.remove(at: Int(chance.next() % UInt64(letters.count)))
                let mistyped = String(letters)
                let error = try fault(complete.replacing("\"\(key)\":", with: "\"\(mistyped)\":"))
                #expect(error.field == path + mistyped)
                #expect(error.message.contains("Did you mean '\(key)'?"), "\(error)")
            }
        }
    }

    @Test("REG-13: an unknown key is an error that lists the valid ones; so is a missing or repeated one")
    func unknown() throws {
        let unknown = try fault(file(#""colourOfTheSky":"x""#))
        #expect(unknown.field == "colourOfTheSky")
        #expect(ConfigurationKey.allCases.allSatisfy { unknown.message.contains($0.rawValue) })
        #expect(try fault(file(#""app_code":"x""#)).message.contains("'appCode'"))
        #expect(try fault(file(#""SESSIONTIMEOUT":1,"sessionTimeout":2"#)).field == "sessionTimeout")
        #expect(try fault(#"{"serverURL":"https://example.com"}"#).field == "appCode")
        #expect(try fault(#"{"appCode":"shop"}"#).field == "serverURL")
        // A mistyped key that is needed is named as what it is, not as missing.
        #expect(try fault(#"{"appcod":"shop","serverURL":"https://example.com"}"#).field == "appcod")
    }

    @Test("REG-13, SEC-2: of an unknown key that is long, the error shows a number of bytes, cut between two scalars")
    func longKey() throws {
        // Characters of 25 bytes each: four people, and what joins them.
        let family = "👨\u{200D}👩\u{200D}👧\u{200D}👦"
        let message = try fault(file("\"\(String(repeating: family, count: 40))\":1")).message
        let shown = try #require(message.split(separator: "'").first)
        #expect(family.utf8.count == 25 && Array(shown.utf8) == Array((family + family + "👨\u{200D}👩\u{200D}").utf8))
        #expect(message.hasPrefix("'\(shown)' is not a key of a configuration."))
    }

    @Test(
        "REG-13: a key of MobilePush's file is an error that says what stands in its place",
        arguments: VendorKey.allCases)
    func vendorKeys(key: VendorKey) throws {
        for spelling in [key.rawValue, key.rawValue.uppercased()] {
            let error = try fault(file("\"\(spelling)\":\"x\""))
            #expect(error.field == spelling)
            #expect(error.message.contains(key.advice), "\(error)")
        }
        // Inside an object of Belfry's own it is an unknown key like any other.
        let inside = try fault(file("\"uploads\":{\"\(key.rawValue)\":1}"))
        #expect(!inside.message.contains(key.advice), "\(inside)")
    }

    @Test("REG-13: a wrong type or a value out of range is refused with the key and what is allowed")
    func values() throws {
        let cases: [(json: String, field: String, allowed: String)] = [
            (#""sessionTimeout":"60""#, "sessionTimeout", "1 to 86400"),
            (#""sessionTimeout":true"#, "sessionTimeout", "1 to 86400"),
            (#""sessionTimeout":null"#, "sessionTimeout", "1 to 86400"),
            (#""contactField":3"#, "contactField", "text"),
            (#""contactField":"  ""#, "contactField", "blank"),
            (#""sessionTimeout":0.5"#, "sessionTimeout", "1 to 86400"),
            (#""editCollection":60.5"#, "editCollection", "0 to 60"),
            (#""delayRegistrationUntilContactKeyIsSet":1"#, "delayRegistrationUntilContactKeyIsSet", "true or false"),
            (
                #""delayRegistrationUntilContactKeyIsSet":"true""#, "delayRegistrationUntilContactKeyIsSet",
                "true or false"
            ),
            (#""uploads":50"#, "uploads", "object"),
            (#""uploads":{"flushCount":1.5}"#, "uploads.flushCount", "1 to 1000000"),
            (#""uploads":{"flushCount":0}"#, "uploads.flushCount", "1 to 1000000"),
            (#""uploads":{"flushCount":1e30}"#, "uploads.flushCount", "1 to 1000000"),
            (#""uploads":{"batchBytes":2000000}"#, "uploads.batchBytes", "1048576"),
            (#""uploads":{"backoff":{"first":0}}"#, "uploads.backoff.first", "1 to 3600"),
            (#""uploads":{"backoff":{"jitter":2}}"#, "uploads.backoff.jitter", "0 to 1"),
            (#""queueLimits":{"age":1}"#, "queueLimits.age", "60 to"),
            (#""queueLimits":[]"#, "queueLimits", "object"),
            (#""messageCenter":{"interval":9}"#, "messageCenter.interval", "10 to 86400"),
            (#""messageCenter":{"retention":60}"#, "messageCenter.retention", "3600 to"),
            (#""badges":1"#, "badges", "true or false"),
            (#""inApp":{"minimumGap":-1}"#, "inApp.minimumGap", "0 to 86400"),
            (#""inApp":{"maximumPerDay":0}"#, "inApp.maximumPerDay", "1 to 1000"),
            (#""inApp":{"maximumPerSession":"3"}"#, "inApp.maximumPerSession", "1 to 1000"),
            (#""inApp":{"linkSchemes":"https"}"#, "inApp.linkSchemes", "array of texts"),
            (#""inApp":{"linkSchemes":["https","JavaScript"]}"#, "inApp.linkSchemes", "URL schemes"),
            (#""inApp":{"linkSchemes":["https://"]}"#, "inApp.linkSchemes", "URL schemes"),
            (#""inApp":{"linkSchemes":[7]}"#, "inApp.linkSchemes", "text"),
            (#""inApp":{"allowsScripts":1}"#, "inApp.allowsScripts", "true or false"),
            (#""name":"""#, "name", "cannot be empty"),
            (#""name":7"#, "name", "text"),
        ]
        for (json, field, allowed) in cases {
            let error = try fault(file(json))
            #expect(error.field == field, "\(json)")
            #expect(error.message.lowercased().contains(allowed.lowercased()), "\(json): \(error)")
        }
        #expect(try fault(#"{"appCode":"a b","serverURL":"https://example.com"}"#).field == "appCode")
        #expect(try fault(#"{"appCode":"shop","serverURL":"ftp://example.com"}"#).field == "serverURL")
    }

    @Test("REG-13: the app picks one of several by name; an unknown name is an error that lists the names")
    func several() throws {
        let json = """
            [{"name":"development","appCode":"test","serverURL":"http://localhost:8080"},
             {"name":"production","appCode":"shop","serverURL":"https://push.example.com"}]
            """
        #expect(try read(json, named: "development").appCode.rawValue == "test")
        #expect(try read(json, named: "production").appCode.rawValue == "shop")
        for name in ["Production", "staging", "", nil] {
            let error = try fault(json, named: name)
            #expect(error.field == "name")
            #expect(error.message.contains("development") && error.message.contains("production"))
        }
        let single = #"[{"name":"only","appCode":"shop","serverURL":"https://example.com"}]"#
        #expect(try read(single).appCode.rawValue == "shop")
        #expect(try read(single, named: "only").appCode.rawValue == "shop")
        #expect(try fault(single, named: "other").message.contains("only"))
        #expect(try read(complete, named: "all").appCode.rawValue == "shop")
        #expect(try fault(file(""), named: "all").field == "name")
    }

    @Test("REG-13: every configuration of an array is checked, not only the picked one")
    func allChecked() throws {
        let good = #"{"name":"a","appCode":"shop","serverURL":"https://example.com"}"#
        let cases = [
            (
                #"{"name":"b","appCode":"shop","serverURL":"https://example.com","editcolection":1}"#,
                "[1].editcolection"
            ),
            (#"{"name":"b","appCode":"shop","serverURL":"ftp://example.com"}"#, "[1].serverURL"),
            (
                #"{"name":"b","appCode":"shop","serverURL":"https://example.com","uploads":{"flushAge":-1}}"#,
                "[1].uploads.flushAge"
            ),
            (#"{"appCode":"shop","serverURL":"https://example.com"}"#, "[1].name"),
            (good, "[1].name"),
            ("7", "[1]"),
        ]
        for (other, field) in cases {
            #expect(try fault("[\(good),\(other)]", named: "a").field == field, "\(other)")
        }
    }

    @Test(
        "REG-13: invalid JSON, or JSON that is not a configuration, is refused",
        arguments: ["", "{", "[]", "7", "null", "\"a\""])
    func noConfiguration(json: String) throws {
        _ = try fault(json)
    }

    @Test("REG-13: a file is read from its address; a missing one is an error with its name")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A test's directory may stay behind; it is in the temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = folder.appendingPathComponent("belfry.json")
        try Data(complete.utf8).write(to: place)
        #expect(try BelfryConfiguration(jsonFile: place, named: "all", directory: directory) == read(complete))
        let missing = folder.appendingPathComponent("missing.json")
        do throws(BelfryError) {
            _ = try BelfryConfiguration(jsonFile: missing, directory: directory)
            Issue.record("a file that is not there was read")
        } catch {
            #expect(error.code == .invalidConfiguration)
            #expect(error.message.contains("missing.json"))
        }
    }
}
