import Testing

@testable import BelfrySimulators

@Suite("JSON scanner")
struct JSONScannerTests {
    @Test(
        "PUSH-1: a payload that is JSON is read",
        arguments: [
            #"{"aps":{}}"#,
            " { \"aps\" : { \"alert\" : \"a\" } , \"n\" : [ 1 , -0.5e+10 , 0 , true , false , null , \"\\u00e9\\n\" ] }\n",
            #"{"deep":[[[{"a":[]}]]],"aps":{"badge":0}}"#,
            #"{"aps":{"alert":{"title":"Grüße","body":"日本 \"quoted\" \\ /"}}}"#,
        ]
    )
    func good(_ text: String) {
        #expect(APNsPayloadFacts.read(Array(text.utf8)) != nil)
    }

    @Test(
        "PUSH-1: a payload that is not a JSON object with a dictionary aps is noticed",
        arguments: [
            "", "{", "[]", "null", #"{"aps":1}"#, #"{"aps":null}"#, #"{"other":{}}"#, #"{"aps":{}} x"#, #"{"aps":{},}"#,
            #"{"aps":{"badge":01}}"#, #"{"aps":{"badge":1.}}"#, #"{"aps":{"badge":+1}}"#, #"{"aps":{"a":tru}}"#,
            #"{"aps":{"alert":"\x"}}"#, #"{"aps":{"alert":"\u12g4"}}"#, "{\"aps\":{\"alert\":\"\n\"}}", #"{aps:{}}"#,
            #"{"aps":{"alert":"open}}"#, #"{"aps":{} "b":1}"#,
        ]
    )
    func bad(_ text: String) {
        #expect(APNsPayloadFacts.read(Array(text.utf8)) == nil)
    }

    @Test(
        "PUSH-1, PUSH-2: a text that is not UTF-8 is refused",
        arguments: [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]] as [[UInt8]])
    func otherEncodings(_ bytes: [UInt8]) {
        let text = Array(#"{"aps":{"alert":""#.utf8) + bytes + Array(#""}}"#.utf8)
        #expect(APNsPayloadFacts.read(text) == nil)
        #expect(JSONValue.object(from: text) == nil)
    }

    @Test("PUSH-1: nesting beyond the limit is refused, not followed")
    func depth() {
        let allowed = JSONScanner.depthLimit - 1
        func nested(_ depth: Int) -> [UInt8] {
            let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return Array(#"{"aps":{},"deep":\#(arrays)}"#.utf8)
        }
        #expect(APNsPayloadFacts.read(nested(allowed)) != nil)
        #expect(APNsPayloadFacts.read(nested(allowed + 1)) == nil)
        #expect(APNsPayloadFacts.read(nested(100_000)) == nil)
    }

    @Test("PUSH-1: the visible parts of a payload are recognised")
    func facts() {
        let visible = APNsPayloadFacts.read(Array(#"{"aps":{"alert":"a","badge":1,"sound":"default"}}"#.utf8))
        #expect(visible == APNsPayloadFacts(hasAlert: true, hasBadge: true, hasSound: true))
        let silent = APNsPayloadFacts.read(Array(#"{"alert":"not here","aps":{"content-available":1}}"#.utf8))
        #expect(silent == APNsPayloadFacts(isContentAvailable: true))
    }
}
