import Testing

/// FLEET-5: how a recorded statement is tried on a cluster.
struct CitusTrialTests {
    @Test("FLEET-5: a recorded statement is tried on a cluster with a value for each of its arguments")
    func script() {
        let statement = "SELECT '?' FROM audience_17 WHERE device_id IN (?, ?) AND a1_number = ANY (?::bigint[])"
        let script = """
            BEGIN ISOLATION LEVEL SERIALIZABLE;
            PREPARE trial AS SELECT '?' FROM audience_1 WHERE device_id IN ($1, $2) AND a1_number = ANY ($3::bigint[]);
            EXECUTE trial('1', '1', '{1}');
            ROLLBACK
            """
        #expect(CitusTrial(of: statement, app: 1)?.script == script)
    }

    @Test("FLEET-5: a list of numbers, or of ranges, has the form of its statement")
    func lists() {
        let numbers = "SELECT id FROM devices WHERE id IN (SELECT value::bigint FROM json_array_elements_text(?::json))"
        let ranges = "SELECT id FROM devices, (SELECT (value ->> 0)::bigint FROM json_array_elements(?::json)) r"
        #expect(CitusTrial(of: numbers, app: 1)?.script.contains("EXECUTE trial('[1]');") == true)
        #expect(CitusTrial(of: ranges, app: 1)?.script.contains("EXECUTE trial('[[1, 2]]');") == true)
    }

    @Test(
        "FLEET-5: what concerns no shards is not tried on a cluster",
        arguments: ["BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT count(*) FROM users", "LISTEN devices"]
    )
    func others(statement: String) {
        #expect(CitusTrial(of: statement, app: 1)?.script == nil)
    }
}
