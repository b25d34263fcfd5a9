import Testing

@testable import BelfrySimulators

@Suite("Form fields")
struct FormFieldsTests {
    @Test("PUSH-2: a form is read with its escapes")
    func read() {
        let form = FormFields(Array("grant_type=urn%3Aietf&a=1+2%2b&a=other&empty=&none&bad=%4&%C3%A9=x=y".utf8))
        #expect(form["grant_type"] == "urn:ietf")
        #expect(form["a"] == "1 2+")
        #expect(form["empty"] == "")
        #expect(form["none"] == nil)
        #expect(form["bad"] == "%4")
        #expect(form["é"] == "x=y")
    }
}
