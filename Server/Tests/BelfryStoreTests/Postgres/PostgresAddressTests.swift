import BelfryPostgres
import Testing

struct PostgresAddressTests {
    private static let secret = "s3cr%26t"

    @Test("CLI-2: the address of a database is read, and shown without its password")
    func shown() throws {
        let address = try PostgresAddress(
            "postgres://belfry:\(Self.secret)@db.example:5433/engagement?sslmode=verify-full"
        )
        #expect("\(address)" == "engagement on db.example")
        for text in ["\(address)", String(reflecting: address), address.summary] {
            #expect(!text.contains("s3cr"))
        }
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!dumped.contains("s3cr"))
        #expect(try PostgresAddress("postgresql:///engagement").summary == "engagement on this machine")
    }

    @Test(
        "CLI-2, SEC-3: an address that cannot be read is refused without being repeated",
        arguments: [
            "mysql://u:s3cr@h/d", "s3cr", "", "host=h password=s3cr", "postgres://u:s3cr@[h/d",
            "postgres://u:s3cr%zz@h/d",
            "postgres://u:s3cr@h/d?nonsense=1",
        ])
    func rejected(text: String) {
        let error = #expect(throws: PostgresAddressError.self) { try PostgresAddress(text) }
        let words = error?.description ?? ""
        #expect(words.contains("postgres://") && !words.contains("s3cr"))
    }

    @Test("CLI-2: a connection error says where the server was expected, without a password")
    func unreachable() throws {
        // Port 1 of this machine: nobody listens there.
        let address = try PostgresAddress("postgres://belfry:\(Self.secret)@127.0.0.1:1/engagement")
        let settings = PostgresSettings(address: address, questions: .standard, now: { storeEpoch }, jitter: { 0 })
        let error = #expect(throws: PostgresOpeningError.self) { try PostgresDatabase(settings) }
        let words = error?.description ?? ""
        #expect(words.contains("engagement on 127.0.0.1") && words.contains("refused") && !words.contains("s3cr"))
    }
}
