/// A script for wrk that sends whole requests in turn, each thread from another place on.
///
/// Its arguments are the file of the requests and the number of the round.
enum RequestsInTurnScript {
    static func text(threads: Int) -> String {
        PreparedTexts.script(threads: threads) + """
            function init(args)
              requests = load_texts(args[1])
              place = math.floor(#requests * (number - 1) / \(threads))
              taken = 0
              loaded(args[1] .. "-" .. args[2])
            end

            function request()
              taken = taken + 1
              if taken == 2 then wait_for_others() end
              place = place % #requests + 1
              return requests[place]
            end

            """
    }
}
