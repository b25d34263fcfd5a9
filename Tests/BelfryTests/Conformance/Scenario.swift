import BelfryModel
import BelfryTestSupport
import Foundation

/// What is wrong with a scenario, or with the SDK that does not fulfil it.
struct ScenarioError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A file of the conformance suite; `Conformance/README.md` describes it.
struct Scenario: Sendable {
    struct Step: Sendable {
        /// From 0 on.
        let number: Int
        let name: String
        let argument: JSONValue
        /// The code with which the call is to fail.
        let fails: String?
        /// What its setters are to return: `accepted`, or the code of the refusal.
        let results: [String]?
        /// The text that the call is to return.
        let returns: String?
    }

    /// `registration/throttle`
    let name: String
    let title: String
    let proves: [String]
    let needs: Set<String>
    let config: JSONValue
    let steps: [Step]

    /// The needs that a scenario can have.
    static let knownNeeds: Set<String> = [
        "background", "badge", "contactField", "delay", "deviceProperties", "inApp", "messageCenter", "openID", "party",
        "privacy", "push", "queueLimits", "rejections", "richContent", "session",
    ]

    init(name: String, _ json: JSONValue) throws(ScenarioError) {
        self.name = name
        var fields = try Fields(json, "the scenario")
        guard fields.take("format")?.number == 1 else { throw ScenarioError("the format is not 1") }
        title = try fields.text("title")
        proves = try fields.texts("proves")
        needs = Set(try fields.optionalTexts("needs") ?? [])
        config = fields.take("config") ?? .object([:])
        var steps: [Step] = []
        for (number, step) in try fields.list("steps").enumerated() {
            steps.append(try Step(number: number, step))
        }
        self.steps = steps
        try fields.finish()
        let unknown = needs.subtracting(Self.knownNeeds)
        guard unknown.isEmpty else { throw ScenarioError("unknown needs: \(unknown.sorted())") }
        guard !proves.isEmpty, steps.contains(where: { $0.name == "expect" }) else {
            throw ScenarioError("it proves nothing")
        }
    }
}

extension Scenario.Step {
    init(number: Int, _ json: JSONValue) throws(ScenarioError) {
        self.number = number
        var fields = try Fields(json, "step \(number)")
        fails = fields.take("fails")?.text
        results = try fields.optionalTexts("results")
        returns = fields.take("returns")?.text
        (name, argument) = try fields.takeLast()
    }
}

/// The keys of an object that are still to be read. One that nobody reads is an error, so that no file means more than
/// is tested.
struct Fields {
    let place: String
    private let object: [String: JSONValue]
    private var left: Set<String>

    init(_ json: JSONValue, _ place: String) throws(ScenarioError) {
        guard let object = json.object else { throw ScenarioError("\(place) is no object") }
        self.place = place
        self.object = object
        left = Set(object.keys).subtracting(["note"])
    }

    mutating func take(_ key: String) -> JSONValue? {
        left.remove(key)
        return object[key]
    }

    mutating func text(_ key: String) throws(ScenarioError) -> String {
        guard let text = take(key)?.text else { throw ScenarioError("\(place): '\(key)' is no text") }
        return text
    }

    mutating func list(_ key: String) throws(ScenarioError) -> [JSONValue] {
        guard let list = take(key)?.array else { throw ScenarioError("\(place): '\(key)' is no array") }
        return list
    }

    mutating func texts(_ key: String) throws(ScenarioError) -> [String] {
        let list = try list(key)
        let texts = list.compactMap(\.text)
        guard texts.count == list.count else { throw ScenarioError("\(place): '\(key)' holds other things than texts") }
        return texts
    }

    mutating func optionalTexts(_ key: String) throws(ScenarioError) -> [String]? {
        object[key] == nil ? nil : try texts(key)
    }

    /// The only key that is left, with its value.
    mutating func takeLast() throws(ScenarioError) -> (String, JSONValue) {
        guard left.count == 1, let key = left.first, let value = take(key) else {
            throw ScenarioError("\(place): expected one key, found \(left.sorted())")
        }
        return (key, value)
    }

    func finish() throws(ScenarioError) {
        guard left.isEmpty else { throw ScenarioError("\(place): unknown \(left.sorted())") }
    }
}

// The files.
extension Scenario {
    /// `Conformance`, beside the package's manifest.
    static var folder: URL {
        URL(filePath: #filePath).appending(path: "../../../../Conformance").standardized
    }

    /// The names of all files, without the ending: those in the folders of the directory.
    static var names: [String] {
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".json") && $0.contains("/") }.map { String($0.dropLast(5)) }.sorted()
    }

    static func read(_ name: String) throws -> Scenario {
        let data = try Data(contentsOf: folder.appending(path: name + ".json"))
        return try Scenario(name: name, JSONDecoder().decode(JSONValue.self, from: data))
    }
}
