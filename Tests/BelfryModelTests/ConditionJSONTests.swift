import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct ConditionJSONTests {
    private static let table: [(json: String, condition: Condition)] = [
        (#"{"everyone":true}"#, .everyone),
        (#"{"all":[{"tag":"a"},{"tag":"b"}]}"#, .all([.tag("a"), .tag("b")])),
        (#"{"any":[{"known":true}]}"#, .any([.known(true)])),
        (#"{"not":{"known":false}}"#, .not(.known(false))),
        (#"{"attribute":"city","op":"==","value":"Paris"}"#, .attribute("city", .equal("Paris"))),
        (#"{"attribute":"city","op":"!=","value":"Paris"}"#, .attribute("city", .notEqual("Paris"))),
        (#"{"attribute":"age","op":"<","value":18}"#, .attribute("age", .less(18))),
        (#"{"attribute":"age","op":"<=","value":18.5}"#, .attribute("age", .lessOrEqual(18.5))),
        (#"{"attribute":"age","op":">","value":18}"#, .attribute("age", .greater(18))),
        (#"{"attribute":"vip","op":">=","value":true}"#, .attribute("vip", .greaterOrEqual(true))),
        (#"{"attribute":"city","op":"in","value":["Paris",1,true]}"#, .attribute("city", .isIn(["Paris", 1, true]))),
        (#"{"attribute":"city","op":"in","value":[]}"#, .attribute("city", .isIn([]))),
        (#"{"attribute":"city","op":"contains","value":"ar"}"#, .attribute("city", .contains("ar"))),
        (#"{"attribute":"city","op":"startsWith","value":"Pa"}"#, .attribute("city", .startsWith("Pa"))),
        (#"{"attribute":"city","op":"exists","value":true}"#, .attribute("city", .exists(true))),
        (#"{"attribute":"city","op":"exists","value":false}"#, .attribute("city", .exists(false))),
        (#"{"device":"platform","op":"==","value":"ios"}"#, .device(.platform, .equal("ios"))),
        (#"{"contactKeys":["anna","bert"]}"#, .contactKeys(["anna", "bert"])),
        (#"{"deviceIds":[]}"#, .deviceIDs([])),
        (#"{"device":"pushOptIn","op":"==","value":true}"#, .deviceFact(.pushOptIn, .equal(true))),
        (
            #"{"device":"lastOpenedAt","op":">=","value":"-P30D"}"#,
            .deviceFact(.lastOpenedAt, .greaterOrEqual("-P30D"))
        ),
        (#"{"event":"purchase"}"#, .event(EventClause(name: "purchase"))),
        (
            #"{"count":{"op":"<","value":1},"event":"open"}"#,
            .event(EventClause(name: "open", count: EventCount(.less, 1)))
        ),
        (
            #"{"count":{"op":">=","value":2},"event":"a","where":{"attribute":"sku","op":"==","value":"A"},"within":"P30D"}"#,
            .event(
                EventClause(
                    name: "a", count: EventCount(.greaterOrEqual, 2), within: try? ISODuration("P30D"),
                    filter: .attribute("sku", .equal("A"))
                )
            )
        ),
    ]

    @Test("CAMP-3: the default count is at least one, with or without the field")
    func standardCount() throws {
        let said = try decoded(Condition.self, #"{"event":"a","count":{"op":">=","value":1}}"#)
        #expect(said == .event(EventClause(name: "a")))
        #expect(try encoded(said) == #"{"event":"a"}"#)
    }

    @Test("CAMP-3, SEC-8: one event more than a count names settles it, also where there is no larger number")
    func largestCount() {
        #expect(EventCount(.equal, 2).enough == 3)
        #expect(EventCount(.greaterOrEqual, .max).enough == .max)
    }

    @Test("CAMP-3: a predicate reads and writes the JSON of the admin API", arguments: table)
    func bothWays(json: String, condition: Condition) throws {
        #expect(try decoded(Condition.self, json) == condition)
        #expect(try encoded(condition) == json)
    }

    @Test("CAMP-3: 'exists' without a value asks for existence, and unknown keys are ignored")
    func lenience() throws {
        let json = #"{"attribute":"city","op":"exists","comment":"?"}"#
        #expect(try decoded(Condition.self, json) == .attribute("city", .exists(true)))
    }

    @Test("CAMP-3: each device property has the same name as in the snapshot", arguments: DeviceProperty.allCases)
    func properties(_ property: DeviceProperty) throws {
        let json = #"{"device":"\#(property.rawValue)","op":"==","value":"x"}"#
        #expect(try decoded(Condition.self, json) == .device(property, .equal("x")))
    }

    private static let rejected: [(json: String, field: String, hint: String)] = [
        ("{}", "", "exactly one of: everyone, all, any"),
        (#"{"tag":"a","known":true}"#, "", "exactly one of"),
        (#"{"op":"=="}"#, "", "exactly one of"),
        (#"{"not":{"any":[{"x":1}]}}"#, "not.any.0", "exactly one of"),
        (#"{"everyone":false}"#, "everyone", "for nobody"),
        (#"{"all":[]}"#, "all", "1 to 256"),
        (#"{"any":[]}"#, "any", "1 to 256"),
        (#"{"all":[{"tag":"a"},{"tag":5}]}"#, "all.1.tag", ""),
        (#"{"attribute":"a","op":"~","value":1}"#, "op", "allowed: == != < <= > >= in contains startsWith exists"),
        (#"{"attribute":"a","value":1}"#, "op", ""),
        (#"{"attribute":"a","op":"=="}"#, "value", ""),
        (#"{"attribute":"a","op":"==","value":null}"#, "value", "a string, a number, a boolean or a date"),
        (#"{"attribute":"a","op":"in","value":"x"}"#, "value", ""),
        (#"{"attribute":"a","op":"in","value":[{}]}"#, "value.0", ""),
        (#"{"attribute":"a","op":"contains","value":5}"#, "value", ""),
        (#"{"attribute":"a","op":"exists","value":5}"#, "value", ""),
        (#"{"attribute":5,"op":"exists"}"#, "attribute", ""),
        (#"{"device":"color","op":"==","value":"x"}"#, "device", ""),
        (#"{"device":"color","op":"==","value":"x"}"#, "device", "timeZone, pushOptIn, lastOpenedAt"),
        (#"{"event":5}"#, "event", ""),
        (#"{"within":"P1D"}"#, "", "exactly one of"),
        (#"{"event":"a","count":2}"#, "count", ""),
        (#"{"event":"a","count":{"value":2}}"#, "count.op", ""),
        (#"{"event":"a","count":{"op":"in","value":2}}"#, "count.op", "== != < <= > >="),
        (#"{"event":"a","count":{"op":">","value":"2"}}"#, "count.value", ""),
        (#"{"event":"a","within":"30 days"}"#, "within", "P7D"),
        (#"{"event":"a","within":"P1M"}"#, "within", "P7D"),
        (#"{"event":"a","where":{"all":[{"x":1}]}}"#, "where.all.0", "exactly one of"),
        (#"{"contactKeys":"anna"}"#, "contactKeys", ""),
        (#"{"known":"yes"}"#, "known", ""),
        (#"{"tag":null}"#, "tag", ""),
    ]

    @Test("CAMP-3: an invalid predicate is refused, and the error names the field", arguments: rejected)
    func rejection(json: String, field: String, hint: String) {
        let error = #expect(throws: DecodingError.self) { try decoded(Condition.self, json) }
        #expect(error?.field == field)
        #expect(hint.isEmpty || error?.explanation.contains(hint) == true)
    }

    @Test("CAMP-3: lists are limited while they are read")
    func longLists() {
        let entries = repeatElement(#""x""#, count: ConditionLimits.maximumListLength + 1).joined(separator: ",")
        for (json, field) in [
            (#"{"contactKeys":[\#(entries)]}"#, "contactKeys"), (#"{"deviceIds":[\#(entries)]}"#, "deviceIds"),
            (#"{"attribute":"city","op":"in","value":[\#(entries)]}"#, "value"),
        ] {
            #expect(decodingErrorField { try decoded(Condition.self, json) } == field)
        }
    }

    @Test("WIRE-23: endless nesting is refused before it costs anything")
    func endlessNesting() {
        let json = String(repeating: #"{"not":"#, count: 100) + #"{"tag":"a"}"# + String(repeating: "}", count: 100)
        let error = #expect(throws: DecodingError.self) { try decoded(Condition.self, json) }
        #expect(error?.explanation.contains("16 levels") == true)
    }
}
