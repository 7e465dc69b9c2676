package dev.stowage.picture;

import java.util.List;

/**
 * A table at the top of the {@linkplain PlanPicture#html(dev.stowage.plan.MemoryPlan, String, List) page} of a plan, for
 * what is not planned but stored beside it, such as weights and caches.
 *
 * @param title what the table shows
 * @param rows the cells as text, all rows of the same length, the names of the columns first; all but the first two columns
 *     are numbers
 * @param remarks sentences below the table
 */
public record PageTable(String title, List<List<String>> rows, List<String> remarks) {

    public PageTable {
        rows = rows.stream().map(List::copyOf).toList();
        remarks = List.copyOf(remarks);
    }

    /** The table as HTML. */
    String html() {
        StringBuilder out = new StringBuilder("<section class=\"summary\">\n<h2>")
                .append(PictureText.escaped(title))
                .append("</h2>\n<table>\n");
        for (int row = 0; row < rows.size(); row++) {
            String tag = row == 0 ? "th" : "td";
            out.append("<tr>");
            for (int column = 0; column < rows.get(row).size(); column++) {
                out.append('<').append(tag).append(column > 1 ? " class=\"number\">" : ">");
                out.append(PictureText.escaped(rows.get(row).get(column)))
                        .append("</")
                        .append(tag)
                        .append('>');
            }
            out.append("</tr>\n");
        }
        out.append("</table>\n");
        remarks.forEach(
                remark -> out.append("<p>").append(PictureText.escaped(remark)).append("</p>\n"));
        return out.append("</section>").toString();
    }
}
