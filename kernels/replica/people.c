/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "people.h"

#include <string.h>

#include "base/buffer.h"

enum { MESSAGE_MAXIMUM = 16 << 10, ONE_IN_REVIEWED = 3 };

static const struct snapshot_person authors[] = {
    {"Ada Brennwald", "ada@brennwald.example.org"},
    {"Bartosz Olechno", "bartosz.olechno@chips.example.org"},
    {"Chiamaka Duru", "chiamaka@duru.example.org"},
    {"Dmitri Valkonen", "dvalkonen@cloud.example.org"},
    {"Emiko Hatanaka", "hatanaka@boards.example.org"},
    {"Farid Benslimane", "farid.b@storage.example.org"},
    {"Greta Lindqvist", "greta@lindqvist.example.org"},
    {"Hao Weiming", "weiming.hao@chips.example.org"},
    {"Ines Carvalhal", "ines@carvalhal.example.org"},
    {"Jonas Thorvik", "jthorvik@distro.example.org"},
    {"Kavita Raghunath", "kavita.raghunath@servers.example.org"},
    {"Lorenzo Mastai", "mastai@univ.example.org"},
    {"Mairead Colclough", "mairead@colclough.example.org"},
    {"Nikolaj Brandrup", "nbrandrup@network.example.org"},
    {"Oluwaseun Adeyi", "seun@adeyi.example.org"},
    {"Petra Zelenkova", "petra.zelenkova@distro.example.org"},
    {"Quentin Arsac", "qarsac@audio.example.org"},
    {"Rosalind Teague", "rosalind@teague.example.org"},
    {"Soren Kjeldal", "soren.kjeldal@servers.example.org"},
    {"Tomoko Ishizaki", "ishizaki@boards.example.org"},
    {"Umberto Salvai", "umberto@salvai.example.org"},
    {"Vesna Marjanov", "vmarjanov@cloud.example.org"},
    {"Wouter Dekens", "wouter@dekens.example.org"},
    {"Yusuf Karadere", "yusuf.karadere@network.example.org"},
};

static const struct {
    const char *prefix;
    struct snapshot_person person;
} maintainers[] = {
    {"kernel/sched/", {"Konrad Ebersbach", "konrad@sched.example.org"}},
    {"kernel/", {"Philippa Ormond", "philippa@core.example.org"}},
    {"mm/", {"Rafael Quintela", "quintela@mm.example.org"}},
    {"fs/", {"Siobhan Delahunt", "siobhan@vfs.example.org"}},
    {"net/", {"Anselm Brauneis", "anselm@netdev.example.org"}},
    {"drivers/net/", {"Anselm Brauneis", "anselm@netdev.example.org"}},
    {"drivers/gpu/", {"Yvette Marchand", "yvette@gpu.example.org"}},
    {"drivers/media/", {"Ludvik Hora", "ludvik@media.example.org"}},
    {"drivers/scsi/", {"Hamish Farquhar", "hamish@scsi.example.org"}},
    {"drivers/", {"Ottilie Brandt", "ottilie@drivers.example.org"}},
    {"sound/", {"Takumi Oyama", "oyama@sound.example.org"}},
    {"arch/", {"Maren Solheim", "maren@arch.example.org"}},
    {"Documentation/", {"Gwen Pritchard", "gwen@docs.example.org"}},
    {"", {"Ivo Stanek", "ivo@kernel.example.org"}},
};

const struct snapshot_person *people_draw_author(struct random *random)
{
    return &authors[random_below(random, sizeof(authors) / sizeof(authors[0]))];
}

const struct snapshot_person *people_maintainer(const char *path)
{
    for (size_t i = 0;; i++)
        if (strncmp(path, maintainers[i].prefix, strlen(maintainers[i].prefix)) == 0)
            return &maintainers[i].person;
}

char *people_message(const char *subject, const char *body, const char *fixes,
                     const struct snapshot_person *author, const struct snapshot_person *committer,
                     struct random *random)
{
    _cleanup_buffer_ struct buffer buffer = BUFFER_INIT(MESSAGE_MAXIMUM);
    const struct snapshot_person *reviewer = people_draw_author(random);
    bool reviewed = random_below(random, ONE_IN_REVIEWED) == 0;

    buffer_printf(&buffer, "%s\n\n%s\n\n", subject, body);
    if (fixes)
        buffer_printf(&buffer, "Fixes: %s\n", fixes);
    buffer_printf(&buffer, "Signed-off-by: %s <%s>\n", author->name, author->mail);
    if (reviewed && reviewer != author)
        buffer_printf(&buffer, "Reviewed-by: %s <%s>\n", reviewer->name, reviewer->mail);
    if (committer != author)
        buffer_printf(&buffer, "Signed-off-by: %s <%s>\n", committer->name, committer->mail);
    return buffer_take(&buffer);
}
